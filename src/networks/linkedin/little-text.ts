// Little text, the format of a post's commentary: a reserved character without a backslash is taken for the beginning of
// an element, and what follows is dropped without a word (learn.microsoft.com, little text format, as quoted by dated
// notes read 2026-11-20).

const RESERVED = /[\\|{}@[\]()<>*_~]|#(?![\p{L}\p{N}])/gu;

/** The text as little text shows it unchanged. A `#` before a word stays, so that it is a hashtag. */
export function toLittleText(text: string): string {
  return text.replace(RESERVED, "\\$&");
}
