// Texts from strangers and networks, without invisible characters and characters that reorder a line.

import { removeHidden } from "./visible-name.ts";

/** The text without hidden characters, cut after `lengthMax` characters (code points). */
export const visibleText = (text: string, lengthMax: number): string =>
  [...removeHidden(text)].slice(0, lengthMax).join("");

/** How many characters of a network's message are kept and shown (docs/api.md#what-a-delivery-says). */
export const NETWORK_MESSAGE_LENGTH_MAX = 500;

/** A network's message as one line, without hidden characters; undefined if nothing of it is visible. */
export function toNetworkMessage(text: string | undefined): string | undefined {
  const line = visibleText((text ?? "").replaceAll(/\s+/g, " "), NETWORK_MESSAGE_LENGTH_MAX).trim();
  return line === "" ? undefined : line;
}
