// A text as the network stores it, "little text": learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/
// little-text-format, read 2026-11-20. An unescaped reserved character is taken, and what follows it silently dropped.

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/**
 * A hashtag, where it can be nothing else: before it a space, a bracket or a quote, after it a letter. Any other `#` is
 * escaped, and shows as itself.
 */
const HASHTAG = /(?<=^|[\s([{"'“‘«])#(?=\p{L})/gu;

/** The text that shows exactly as written, with its hashtags as hashtags. */
export function escapeText(text: string): string {
  const hashtags = new Set([...text.matchAll(HASHTAG)].map(({ index }) => index));
  return text.replace(RESERVED, (character, index: number) => (hashtags.has(index) ? character : `\\${character}`));
}

/** A name that is longer is shown as it is stored: to look for its end from each beginning would take the square of the text. */
const NAME_LENGTH_MAX = 300;
const NAMES = new RegExp(
  String.raw`\\([\\|{}@[\]()<>#*_~])|\{hashtag\|\\?([#＃])\|((?:\\.|[^}\\]){0,${NAME_LENGTH_MAX}})\}|@\[((?:\\.|[^\]\\]){0,${NAME_LENGTH_MAX}})\]\([^)]{0,${NAME_LENGTH_MAX}}\)`,
  "g",
);

/** What people see of a stored text: hashtags and mentions by their names, everything else unescaped. */
export function shownText(stored: string): string {
  return stored.replace(
    NAMES,
    (_, escaped?: string, sign?: string, tag?: string, name?: string) =>
      escaped ?? (sign === undefined ? shownText(name ?? "") : sign + shownText(tag ?? "")),
  );
}
