// A mention that is being typed: `@` and the first letters of a name, at the cursor.

export interface TypedMention {
  /** The index of the `@`. */
  start: number;
  /** The letters after the `@`. */
  name: string;
}

/** A longer word is no name. The bound also keeps the search from reading the whole text. */
const NAME_LENGTH_MAX = 60;
const TYPED = /(?:^|[\s(])@([^\s@()[\]]*)$/;

/** The mention before the cursor, or null. */
export function findTypedMention(text: string, cursor: number): TypedMention | null {
  const before = text.slice(Math.max(0, cursor - NAME_LENGTH_MAX - 2), cursor);
  const name = TYPED.exec(before)?.[1];
  return name === undefined || name.length > NAME_LENGTH_MAX ? null : { start: cursor - name.length - 1, name };
}

/** The text with the chosen account in place of the typed mention, and the cursor behind it. */
export function insertMention(
  text: string,
  { start, name }: TypedMention,
  value: string,
): { text: string; cursor: number } {
  const rest = text.slice(start + 1 + name.length);
  const inserted = /^[\s\p{P}]/u.test(rest) ? value : `${value} `;
  return { text: text.slice(0, start) + inserted + rest, cursor: start + inserted.length };
}
