// The cursor of a list of posts by due time.
import type { DueCursor } from "../../store/posts/walks.ts";
import { cursorAfter, cursorAtText, readCursor, readText } from "../cursor.ts";

/** Builds the cursor of the page after a position. */
export const writeDueCursor = ({ due, id }: DueCursor): string => cursorAtText("due", `${due} ${id}`);

/** The position in a cursor; null without a cursor. Throws `unreadable_cursor`. */
export function readDueCursor(cursor: string | undefined): DueCursor | null {
  const place = readText(cursor, "due");
  if (place === null) return null;
  const [, due = "", id = ""] = /^(\d{1,16}) (\S+)$/.exec(place) ?? [];
  return { due: Number(due), id: readCursor(cursorAfter(id) ?? undefined, "post") ?? "" };
}
