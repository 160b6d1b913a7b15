// An estimate of a text's length on a network, and of the place where it becomes too long. It needs no list of domains, so it
// is small enough for browsers and the client; the service counts exactly.
import { findNamedMentions } from "./named-mentions.ts";

/** How a network counts, as its rule in `GET /v1/platforms` says. */
export interface Counting {
  text_unit: string;
  text_weighting?: string | undefined;
}

export interface Measured {
  length: number;
  /** The UTF-16 index at which the text exceeds its limit; null: it fits. */
  cut: number | null;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20E3}/u;
const ASCII = /^[\n\x20-\x7e]*$/;
/** Links with a scheme. */
export const SCHEME_LINK = /https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]}]/giu;
/** These, and names of hosts without one. */
const LINK = new RegExp(
  `${SCHEME_LINK.source}|(?<![\\p{L}\\p{N}@._-])(?:[a-z0-9-]+\\.)+[a-z]{2,}(?:\\/[^\\s]*)?`,
  SCHEME_LINK.flags,
);
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

/** The parts of a text that count as a whole: links on X, and mentions with a name. `isCautious`: see `measure`. */
function listWholes(text: string, { text_weighting: weighting }: Counting, isCautious: boolean): Token[] {
  if (weighting === "mention_names")
    return findNamedMentions(text).map(({ name, start, end }) => ({ at: start, end, weight: name.length }));
  if (weighting !== "twitter_text_v3") return [];
  return Array.from(text.matchAll(LINK), ({ 0: link, index: at }) => ({
    at,
    end: at + link.length,
    weight: isCautious && !link.includes("://") ? Math.max(LINK_WEIGHT, link.length) : LINK_WEIGHT,
  }));
}

/** Splits a text into links, mentions and graphemes. */
function* listTokens(text: string, counting: Counting, isCautious: boolean): Generator<Pick<Token, "at" | "weight">> {
  let from = 0;
  for (const { at, end, weight } of listWholes(text, counting, isCautious)) {
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

/**
 * null: the text is too long to be counted here. `isCautious`: a name with a dot may be no link for the network, so it counts
 * with all its characters.
 */
export function measure(text: string, counting: Counting, limit: number, isCautious = false): Measured | null {
  const isPlain = ASCII.test(text);
  const hasWholes = counting.text_weighting === "twitter_text_v3" || counting.text_weighting === "mention_names";
  if (isPlain && !hasWholes) {
    return { length: text.length, cut: text.length > limit ? limit : null };
  }
  if (text.length > LENGTH_MAX) return null;
  let length = 0;
  let cut: number | null = null;
  for (const { at, weight } of listTokens(text, counting, isCautious)) {
    length += weight;
    if (length > limit) cut ??= at;
  }
  return { length, cut };
}
