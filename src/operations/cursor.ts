import { type IdPrefix, isId } from "../domain/ids.ts";
import { refuse } from "../domain/refusal.ts";

/** The cursor that leads to what comes after `id`; null when there is nothing more. */
export function cursorAfter(id: string | undefined): string | null {
  return id === undefined ? null : btoa(id).replaceAll("=", "");
}

/** The id that a cursor names; null without a cursor. Throws `unreadable_cursor`. */
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

/** The cursor that stands after a place in a log. */
export function cursorAtPlace(place: number): string {
  return btoa(`@${place}`).replaceAll("=", "");
}

/** The place in a log that a cursor names; null without a cursor. Throws `unreadable_cursor`. */
export function readPlace(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  let text: string;
  try {
    text = atob(cursor);
  } catch {
    throw refuse("unreadable_cursor", { field: "/cursor" });
  }
  const place = /^@(\d{1,15})$/.exec(text)?.[1];
  if (place === undefined) throw refuse("unreadable_cursor", { field: "/cursor" });
  return Number(place);
}

/** A page of `limit` out of rows that were read one too many, with the cursor of the next. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number): { rows: Row[]; next: string | null } {
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? cursorAfter(page.at(-1)?.id) : null };
}
