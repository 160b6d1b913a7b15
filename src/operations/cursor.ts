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

/** A page of `limit` out of rows that were read one too many, with the cursor of the next. */
export function pageOf<Row extends { id: string }>(rows: Row[], limit: number): { rows: Row[]; next: string | null } {
  const page = rows.slice(0, limit);
  return { rows: page, next: rows.length > limit ? cursorAfter(page.at(-1)?.id) : null };
}
