// Texts that strangers and networks wrote, without the characters that nobody sees or that reorder what is read.

import { removeHidden } from "./visible-name.ts";

/** The text without hidden characters, cut after `lengthMax` characters (code points). */
export const visibleText = (text: string, lengthMax: number): string =>
  [...removeHidden(text)].slice(0, lengthMax).join("");

/** Characters of what a network said that are kept and shown (docs/api.md#deliveries). */
const NETWORK_MESSAGE_LENGTH_MAX = 500;

/** What a network said as one line, without hidden characters; undefined where nothing is left of it. */
export function toNetworkMessage(text: string | undefined): string | undefined {
  const line = visibleText((text ?? "").replaceAll(/\s+/g, " "), NETWORK_MESSAGE_LENGTH_MAX).trim();
  return line === "" ? undefined : line;
}
