// After publishing: what the network shows of a post, compared with what was accepted.
import type { JsonObject } from "../json.ts";

export const READBACK_STATES = ["verified", "altered", "unverifiable"] as const;
/** What may be shown otherwise than it was accepted. */
export const ALTERATIONS = ["text", "title", "media_count", "media_order"] as const;
export type Alteration = (typeof ALTERATIONS)[number];

export interface Readback {
  state: (typeof READBACK_STATES)[number];
  /** Empty, but for `altered`. */
  altered: Alteration[];
}

/** A post as it was accepted for one channel. */
export interface Accepted {
  text: string;
  /** How many. */
  files: number;
  /** The network's own. */
  options: JsonObject;
}

/** What nobody sees: the form of accents and of line ends, spaces at the end of a line, space around the whole. */
export const comparable = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\r\n?/g, "\n")
    // Not by an expression: it would look for the end of a line from each of its spaces.
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

/** `text` if a text is shown otherwise than it was accepted. */
export function textAltered(
  shown: string | null | undefined,
  accepted: string,
  what: "text" | "title" = "text",
): Alteration[] {
  return comparable(shown ?? "") === comparable(accepted) ? [] : [what];
}

/** What differs between the ids of the files shown and of those sent. Files of other ids are counted only. */
export function filesAltered(shown: string[], sent: string[]): Alteration[] {
  if (shown.length !== sent.length) return ["media_count"];
  const isOrder = shown.join() !== sent.join() && shown.toSorted().join() === sent.toSorted().join();
  return isOrder ? ["media_order"] : [];
}
