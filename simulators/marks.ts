// Finds the parts of a text that become links, for networks that detect them.
import type { Shown } from "./ledger.ts";

const PATTERNS = {
  links: /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}]/gu,
  names: /(?<=^|[\s(])@[\p{L}\p{N}_](?:[\p{L}\p{N}_.-]*[\p{L}\p{N}_])?/gu,
  tags: /(?<=^|[\s(])#(?=[\p{N}_]*\p{L})[\p{L}\p{N}_]+/gu,
};

/** The ranges of a text that are of these kinds. */
export const findMarks = (text: string, kinds: (keyof typeof PATTERNS)[]): Shown["marks"] =>
  kinds.flatMap((kind) =>
    [...text.matchAll(PATTERNS[kind])].map(({ index, 0: mark }) => ({ start: index, end: index + mark.length })),
  );
