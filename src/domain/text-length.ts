import type { TextUnit } from "./platform-rule.ts";

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });
const encoder = new TextEncoder();

const COUNT: Record<TextUnit, (text: string) => number> = {
  characters: (text) => [...text].length,
  graphemes: (text) => {
    let count = 0;
    for (const _ of segmenter.segment(text)) count++;
    return count;
  },
  utf16: (text) => text.length,
};

/** How long `text` is in a network's own unit. */
export function textLength(text: string, unit: TextUnit): number {
  return COUNT[unit](text);
}

/** UTF-8 bytes of `text`. */
export function utf8Length(text: string): number {
  return encoder.encode(text).byteLength;
}
