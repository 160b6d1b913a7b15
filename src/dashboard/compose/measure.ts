// An estimate of a text's length on a network while it is typed. The service's exact count replaces it within a moment.
import { findNamedMentions } from "../../domain/posts/named-mentions.ts";
import type { Rule } from "../types.ts";
import type { PostType } from "./draft.ts";

export type Counting = Pick<Rule, "text_unit" | "text_weighting">;

export interface Measured {
  length: number;
  /** The UTF-16 index at which the text exceeds its limit; null: it fits. */
  cut: number | null;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20E3}/u;
const ASCII = /^[\n\x20-\x7e]*$/;
/** Links with a scheme, and names of hosts without one. */
const LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}]|(?<![\p{L}\p{N}@._-])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:\/[^\s]*)?/giu;
/** X counts each link as this many characters, whatever its length. */
const LINK_WEIGHT = 23;
/** X counts characters in these ranges once, and all others twice. */
const LIGHT: readonly (readonly [number, number])[] = [
  [0, 4_351],
  [8_192, 8_205],
  [8_208, 8_223],
  [8_242, 8_247],
];
/** A longer text with other than ASCII characters is left to the service: counting it would delay the next key. */
const LENGTH_MAX = 20_000;

function weighOnX(segment: string): number {
  if (EMOJI.test(segment)) return 2;
  let weight = 0;
  for (const character of segment.normalize()) {
    const point = character.codePointAt(0) ?? 0;
    weight += LIGHT.some(([first, last]) => point >= first && point <= last) ? 1 : 2;
  }
  return weight;
}

function weigh(segment: string, { text_unit: unit, text_weighting: weighting }: Counting): number {
  if (unit === "graphemes") return 1;
  if (unit === "utf16") return segment.length;
  if (unit === "characters") return [...segment].length;
  if (weighting === "twitter_text_v3") return weighOnX(segment);
  return EMOJI.test(segment) ? encoder.encode(segment).byteLength : [...segment].length;
}

interface Token {
  at: number;
  end: number;
  weight: number;
}

/** The parts of a text that count as a whole: links on X, and mentions with a name. */
function listWholes(text: string, { text_weighting: weighting }: Counting): Token[] {
  if (weighting === "mention_names")
    return findNamedMentions(text).map(({ name, start, end }) => ({ at: start, end, weight: name.length }));
  if (weighting !== "twitter_text_v3") return [];
  return Array.from(text.matchAll(LINK), ({ 0: link, index: at }) => ({
    at,
    end: at + link.length,
    weight: LINK_WEIGHT,
  }));
}

/** Splits a text into links, mentions and graphemes. */
function* listTokens(text: string, counting: Counting): Generator<Pick<Token, "at" | "weight">> {
  let from = 0;
  for (const { at, end, weight } of listWholes(text, counting)) {
    yield* listGraphemes(text, from, at, counting);
    yield { at, weight };
    from = end;
  }
  yield* listGraphemes(text, from, text.length, counting);
}

function* listGraphemes(text: string, from: number, to: number, counting: Counting) {
  for (const { segment, index } of segmenter.segment(text.slice(from, to))) {
    yield { at: from + index, weight: weigh(segment, counting) };
  }
}

/** null: the text is too long to be counted here. */
export function measure(text: string, counting: Counting, limit: number): Measured | null {
  const isPlain = ASCII.test(text);
  const hasWholes = counting.text_weighting === "twitter_text_v3" || counting.text_weighting === "mention_names";
  if (isPlain && !hasWholes) {
    return { length: text.length, cut: text.length > limit ? limit : null };
  }
  if (text.length > LENGTH_MAX) return null;
  let length = 0;
  let cut: number | null = null;
  for (const { at, weight } of listTokens(text, counting)) {
    length += weight;
    if (length > limit) cut ??= at;
  }
  return { length, cut };
}

/** The most that a text may have on a network; 0: this type of post has no text. */
export function findLimit(rule: Rule, type: PostType | null, hasFiles: boolean): number {
  const ofType = type === null ? undefined : rule.per_type[type]?.text_limit;
  return ofType ?? (hasFiles ? rule.caption_limit : rule.text_limit);
}
