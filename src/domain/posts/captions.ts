// The captions of a video: files of the library, named by an option of its channel, each with its language.

/** The name of the option, on every network that has it. */
export const CAPTIONS = "captions";

export interface CaptionsEntry {
  /** BCP 47 tag of the language. */
  lang: string;
  /** Id of the file. */
  file: string;
}

/** The captions that an override names; none if the option has another shape, which is refused elsewhere. */
export function findCaptions(override: Record<string, unknown> | undefined): CaptionsEntry[] {
  const entries = override?.[CAPTIONS];
  return Array.isArray(entries) && entries.every(isEntry) ? entries.map(({ lang, file }) => ({ lang, file })) : [];
}

const isEntry = (entry: unknown): entry is CaptionsEntry =>
  typeof entry === "object" &&
  entry !== null &&
  "lang" in entry &&
  typeof entry.lang === "string" &&
  "file" in entry &&
  typeof entry.file === "string";
