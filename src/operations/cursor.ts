import { base64Url, fromBase64Url } from "../domain/encoding.ts";
import { type IdPrefix, isId } from "../domain/ids.ts";
import { PAGE_BYTES_MAX } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";

/** Builds the cursor of the page after `id`; null if there is no further page. */
export function cursorAfter(id: string | undefined): string | null {
  return id === undefined ? null : btoa(id).replaceAll("=", "");
}

/** The id in a cursor; null without a cursor. Throws `unreadable_cursor`. */
export function readCursor(cursor: string | undefined, prefix: IdPrefix): string | null {
  if (cursor === undefined) return null;
  let id: string;
  try {
    id = atob(cursor);
  } catch {
    throw refuse("unreadable_cursor", { field: "/cursor" });
  }
  if (!isId(prefix, id)) throw refuse("unreadable_cursor", { field: "/cursor" });
  return id;
}

/** Builds the cursor of the page after a position in a log. */
export function cursorAtSeq(seq: number): string {
  return btoa(`@${seq}`).replaceAll("=", "");
}

/** The position in a log that a cursor holds; null without a cursor. Throws `unreadable_cursor`. */
export function readSeq(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  let text: string;
  try {
    text = atob(cursor);
  } catch {
    throw refuse("unreadable_cursor", { field: "/cursor" });
  }
  const seq = /^@(\d{1,15})$/.exec(text)?.[1];
  if (seq === undefined) throw refuse("unreadable_cursor", { field: "/cursor" });
  return Number(seq);
}

/** Builds the cursor of the page after a text, in a list of the kind `kind`. */
export function cursorAtText(kind: string, text: string): string {
  return base64Url(new TextEncoder().encode(`${kind} ${text}`));
}

/** The text in a cursor of a list of this kind; null without a cursor. Throws `unreadable_cursor`. */
export function readText(cursor: string | undefined, kind: string): string | null {
  if (cursor === undefined) return null;
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fromBase64Url(cursor));
    if (text.startsWith(`${kind} `)) return text.slice(kind.length + 1);
  } catch {
    // Falls through to the refusal of any unreadable cursor.
  }
  throw refuse("unreadable_cursor", { field: "/cursor" });
}

/**
 * Cuts a page of at most `limit` rows and about a megabyte, and returns it with the next cursor. `rows` has one row more than
 * `limit` if there is a next page. A page has at least one row. `bytesOf`: the size of a row.
 */
export function buildPage<Row extends { id: string }>(
  rows: Row[],
  limit: number,
  bytesOf?: (row: Row) => number,
): { rows: Row[]; next: string | null } {
  const page = takePageRows(rows, limit, bytesOf);
  return { rows: page, next: rows.length > page.length ? cursorAfter(page.at(-1)?.id) : null };
}

/** The rows of a page, cut as in `buildPage`. */
export function takePageRows<Row>(rows: Row[], limit: number, bytesOf: (row: Row) => number = jsonLength): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, i) => {
    bytes += bytesOf(row);
    return i > 0 && bytes > PAGE_BYTES_MAX;
  });
  return rows.slice(0, end === -1 ? limit : Math.min(end, limit));
}

const jsonLength = (row: unknown) => JSON.stringify(row).length;
