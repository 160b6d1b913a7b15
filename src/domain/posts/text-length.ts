// Measures the length of a text, and finds its elements, in the ways that networks count.
import twitterText from "twitter-text";
import { findLinks } from "./links.ts";
import { showNamedMentions } from "./named-mentions.ts";
import type { PlatformRule, TextPart, TextUnit, TextWeighting } from "./platform-rule.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const WEIGHTED: Record<Exclude<TextWeighting, "mention_names">, (text: string) => number> = {
  twitter_text_v3: weightOnX,
  emoji_utf8: (text) => {
    let length = 0;
    for (const { segment } of segmenter.segment(text)) {
      length += EMOJI.test(segment) ? utf8Length(segment) : [...segment].length;
    }
    return length;
  },
};
/** Matches graphemes that are displayed as pictures. Digits and `#` alone are not, although Unicode lists them as emoji. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20E3}/u;

/** The weight that the twitter-text library gives each link, whatever its length. */
const LINK_WEIGHT = 23;

/**
 * The count of the twitter-text library, but with the links found in linear time. The library counts a text in which each link
 * is replaced by a comma, and the weights of the links are added.
 */
function weightOnX(text: string): number {
  const normalized = text.normalize();
  const links = findLinks(normalized);
  let textWithoutLinks = "";
  let from = 0;
  for (const { url, indices } of links) {
    textWithoutLinks += `${normalized.slice(from, indices[0])},`;
    from = indices[0] + url.length;
  }
  textWithoutLinks += normalized.slice(from);
  // Without a dot the library looks for no links. A comma has the weight of a dot, and does not join words either.
  return (
    twitterText.parseTweet(textWithoutLinks.replaceAll(".", ",")).weightedLength + links.length * (LINK_WEIGHT - 1)
  );
}

const COUNT: Record<Exclude<TextUnit, "weighted">, (text: string) => number> = {
  characters: (text) => [...text].length,
  graphemes: (text) => {
    let count = 0;
    for (const _ of segmenter.segment(text)) count++;
    return count;
  },
  utf16: (text) => text.length,
};

/** How a rule counts texts. */
export type TextCounting = Pick<PlatformRule, "text_unit" | "text_weighting">;

/** How long `text` is in a network's own unit. */
export function textLength(text: string, { text_unit: unit, text_weighting: weighting }: TextCounting): number {
  if (unit !== "weighted") return COUNT[unit](weighting === "mention_names" ? showNamedMentions(text) : text);
  if (weighting === undefined || weighting === "mention_names") throw new Error("a weighted unit needs a weighting");
  return WEIGHTED[weighting](text);
}

/** UTF-8 bytes of `text`. */
export function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}

const PARTS: Record<TextPart, (text: string) => string[]> = {
  hashtags,
  mentions: (text) => twitterText.extractMentions(text),
  links: (text) => [...new Set(findLinks(text).map(({ url }) => url))],
  cashtags: (text) => twitterText.extractCashtags(text),
};

/** Hashtags outside links, as in the library's `extractHashtags`. */
function hashtags(text: string): string[] {
  const { validHashtag, endHashtagMatch } = twitterText.regexen;
  const tags = [...text.matchAll(validHashtag)].flatMap(({ 0: match, 1: before = "", 3: hashtag = "", index }) => {
    const end = index + match.length;
    // Endings that invalidate a hashtag are three characters at most.
    if (endHashtagMatch.test(text.slice(end, end + 3))) return [];
    return { hashtag, indices: [index + before.length, end] as const };
  });
  if (tags.length === 0) return [];
  const entities = [...tags, ...findLinks(text)].sort((a, b) => a.indices[0] - b.indices[0]);
  let end = 0;
  return entities.flatMap((entity) => {
    if (entity.indices[0] < end) return [];
    end = entity.indices[1];
    return "hashtag" in entity ? entity.hashtag : [];
  });
}

/** The hashtags, mentions, cashtags or different links of a text, including links without a scheme. */
export function textParts(text: string, textPart: TextPart): string[] {
  return PARTS[textPart](text);
}

/**
 * A text with more UTF-16 units than this many times its limit is not counted further once it is known to exceed the limit.
 */
const FAR_OVER = 16;

/** A text's length against a limit. */
export interface Measured {
  length: number;
  /** The text exceeds the limit, and has at least this length: it was not counted to its end. */
  atLeast: boolean;
}

/** Measures texts. One meter counts each text only once in each way. */
export interface TextMeter {
  length(text: string, counting: TextCounting): number;
  lengthAgainst(limit: number, text: string, counting: TextCounting): Measured;
  parts(text: string, textPart: TextPart): string[];
}

export function createTextMeter(): TextMeter {
  const lengths = new Map<string, Map<string, number>>();
  const leasts = new Map<string, Map<string, number>>();
  const parts = new Map<string, Map<string, string[]>>();
  const getCountingKey = ({ text_unit, text_weighting }: TextCounting) => `${text_unit} ${text_weighting}`;
  const length = (text: string, counting: TextCounting) =>
    once(lengths, getCountingKey(counting), text, () => textLength(text, counting));
  return {
    length,
    lengthAgainst(limit, text, counting) {
      const least = once(leasts, `${getCountingKey(counting)} ${limit}`, text, () =>
        leastLength(text, counting, limit * FAR_OVER),
      );
      return least > limit ? { length: least, atLeast: true } : { length: length(text, counting), atLeast: false };
    },
    parts: (text, textPart) => once(parts, textPart, text, () => textParts(text, textPart)),
  };
}

function once<T>(cache: Map<string, Map<string, T>>, key: string, text: string, count: () => T): T {
  const counted = cache.get(key) ?? new Map<string, T>();
  cache.set(key, counted);
  const result = counted.get(text) ?? count();
  counted.set(text, result);
  return result;
}

/**
 * A lower bound for the length of a text with more than `units` UTF-16 units, from those units alone; 0 if nothing is known.
 */
function leastLength(
  text: string,
  { text_unit: unit, text_weighting: weighting }: TextCounting,
  units: number,
): number {
  if (text.length <= units || units === 0 || unit === "utf16") return 0;
  if (unit === "graphemes") return COUNT.graphemes(text.slice(0, units)) - 1;
  if (weighting === "twitter_text_v3") {
    // No link, emoji or composed character spans a space, so the text before a space counts by itself.
    return weightOnX(text.slice(0, Math.max(0, text.lastIndexOf(" ", units), text.lastIndexOf("\n", units))));
  }
  // No character has more than two units, and each counts at least one.
  return Math.ceil(text.length / 2);
}
