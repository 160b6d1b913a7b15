// Converts texts to and from "little text", the format in which LinkedIn stores them:
// learn.microsoft.com/en-us/linkedin/marketing/community-management/shares/little-text-format, read 2026-11-20. LinkedIn
// accepts a text with an unescaped reserved character, but silently drops everything after that character.

import { findNamedMentions } from "../../domain/posts/named-mentions.ts";

const RESERVED = /[\\|{}@[\]()<>#*_~]/g;
/**
 * An unambiguous hashtag: before it a space, a bracket or a quote, after it a letter. Any other `#` is escaped, and shows as
 * itself.
 */
const HASHTAG = /(?<=^|[\s([{"'“‘«])#(?=\p{L})/gu;

/** Escapes a text so that it shows exactly as written, with its hashtags as hashtags and its mentions as names. */
export function escapeText(text: string): string {
  let escaped = "";
  let from = 0;
  for (const { name, urn, start, end } of findNamedMentions(text)) {
    escaped += `${escapePlain(text.slice(from, start))}@[${name.replace(RESERVED, "\\$&")}](${urn})`;
    from = end;
  }
  return escaped + escapePlain(text.slice(from));
}

function escapePlain(text: string): string {
  const hashtags = new Set([...text.matchAll(HASHTAG)].map(({ index }) => index));
  return text.replace(RESERVED, (character, index: number) => (hashtags.has(index) ? character : `\\${character}`));
}

/** Longer names are shown as stored. Without a limit, searching for the end of each name would take quadratic time. */
const NAME_LENGTH_MAX = 300;
const NAMES = new RegExp(
  String.raw`\\([\\|{}@[\]()<>#*_~])|\{hashtag\|\\?([#＃])\|((?:\\.|[^}\\]){0,${NAME_LENGTH_MAX}})\}|@\[((?:\\.|[^\]\\]){0,${NAME_LENGTH_MAX}})\]\([^)]{0,${NAME_LENGTH_MAX}}\)`,
  "g",
);

/** A stored text as people see it: hashtags and mentions by their names, everything else unescaped. */
export function shownText(stored: string): string {
  return stored.replace(
    NAMES,
    (_, escaped?: string, sign?: string, tag?: string, name?: string) =>
      escaped ?? (sign === undefined ? shownText(name ?? "") : sign + shownText(tag ?? "")),
  );
}
