// The terms by which the library finds a file: its kind, its tags, and the words that people gave it.
import type { MediaKind } from "../posts/platform-rule.ts";
import { splitWords } from "../posts/words.ts";

/** The values of a file that have terms. */
export interface Described {
  kind: MediaKind;
  name: string | null;
  tags: readonly string[];
  alt: string | null;
}

/** The filters of a search. All of them must match. */
export interface MediaFilter {
  kind: MediaKind | null;
  tag: string | null;
  words: readonly string[];
}

/** The kinds whose files are listed only if they are asked for. */
export const UNLISTED_KINDS = ["document", "captions"] as const satisfies MediaKind[];

const tagTerm = (tag: string) => `#${tag}`;
const wordTerm = (word: string) => `=${word}`;

/** All terms of a file, each once. */
export function buildTerms({ kind, name, tags, alt }: Described): string[] {
  const words = [name ?? "", alt ?? "", ...tags].flatMap(splitWords);
  return [...new Set([kind, ...tags.map(tagTerm), ...words.map(wordTerm)])];
}

/** The terms that a file must have, with the rarest ones first: a search walks along the first. */
export function getSearchedTerms({ kind, tag, words }: MediaFilter): string[] {
  const rarestFirst = [...new Set(words)].sort((left, right) => right.length - left.length);
  return [...rarestFirst.map(wordTerm), ...(tag === null ? [] : [tagTerm(tag)]), ...(kind === null ? [] : [kind])];
}
