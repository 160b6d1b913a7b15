// The columns that most tables have.
import { type SQL, sql } from "drizzle-orm";
import { integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";

/** A text that is always there. */
export const required = (name: string) => text(name).notNull();
/** Epoch milliseconds. */
export const instant = (name: string) => integer(name);

/** A column as an argument of SQLite's JSON functions, which take JSON in a text for a string. */
export const asJson = (column: SQLiteColumn): SQL =>
  column.columnType === "SQLiteTextJson" ? sql`json(${column})` : sql`${column}`;
