// How long a text is, and what stands in it, in the ways that networks count.
import twitterText from "twitter-text";
import type { PlatformRule, TextPart, TextUnit, TextWeighting } from "./platform-rule.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const WEIGHTED: Record<TextWeighting, (text: string) => number> = {
  twitter_text_v3: (text) => twitterText.parseTweet(text).weightedLength,
  emoji_utf8: (text) => {
    let length = 0;
    for (const { segment } of segmenter.segment(text)) {
      length += EMOJI.test(segment) ? utf8Length(segment) : [...segment].length;
    }
    return length;
  },
};
/** A grapheme that is shown as a picture; digits and signs alone are not, although Unicode lists them. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}|\u{20E3}/u;

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
  if (unit !== "weighted") return COUNT[unit](text);
  if (weighting === undefined) throw new Error("a weighted unit needs a weighting");
  return WEIGHTED[weighting](text);
}

/** UTF-8 bytes of `text`. */
export function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}

const PARTS: Record<TextPart, (text: string) => string[]> = {
  hashtags: (text) => twitterText.extractHashtags(text),
  mentions: (text) => twitterText.extractMentions(text),
  links: (text) => [...new Set(twitterText.extractUrls(text))],
  cashtags: (text) => twitterText.extractCashtags(text),
};

/** The hashtags, mentions, cashtags or different links of a text, those without a scheme too. */
export function textParts(text: string, part: TextPart): string[] {
  return PARTS[part](text);
}
