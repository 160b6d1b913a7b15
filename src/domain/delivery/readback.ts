// Compares the post that the network shows after publishing with the content that was accepted.
import type { JsonObject } from "../json.ts";
import type { Poll } from "../posts/poll.ts";

export const READBACK_STATES = ["verified", "altered", "unverifiable"] as const;
/** The properties in which a post can differ from its accepted content. */
export const ALTERATIONS = ["text", "title", "media_count", "media_order", "poll"] as const;
export type Alteration = (typeof ALTERATIONS)[number];

export interface Readback {
  state: (typeof READBACK_STATES)[number];
  /** Empty except for `altered`. */
  altered: Alteration[];
}

/** A post as it was accepted for one channel. */
export interface Accepted {
  text: string;
  /** The number of files. */
  files: number;
  /** The network's own options. */
  options: JsonObject;
  /** Absent or null: none. */
  poll?: Poll | null;
}

/**
 * Returns `poll` if the network shows other options than were accepted. `shownOptions`: undefined if the answer has no poll.
 */
export const pollAltered = (shownOptions: readonly string[] | undefined, { poll }: Accepted): Alteration[] =>
  poll && JSON.stringify(shownOptions) !== JSON.stringify(poll.options) ? ["poll"] : [];

/**
 * Removes invisible differences: the form of accents and line ends, spaces at the end of a line, whitespace around the text.
 */
export const comparable = (text: string): string =>
  text
    .normalize("NFC")
    .replace(/\r\n?/g, "\n")
    // Not by a regular expression: it would search for the end of a line from each of its spaces.
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();

/** Returns `text` if the network shows a different text than was accepted. */
export function textAltered(
  shownText: string | null | undefined,
  accepted: string,
  field: "text" | "title" = "text",
): Alteration[] {
  return comparable(shownText ?? "") === comparable(accepted) ? [] : [field];
}

/**
 * Compares the ids of the files shown with those of the files sent. If the ids do not match at all, only the count is
 * compared.
 */
export function filesAltered(shownIds: string[], sentIds: string[]): Alteration[] {
  if (shownIds.length !== sentIds.length) return ["media_count"];
  const isOrder = shownIds.join() !== sentIds.join() && shownIds.toSorted().join() === sentIds.toSorted().join();
  return isOrder ? ["media_order"] : [];
}
