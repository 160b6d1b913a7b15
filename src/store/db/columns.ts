// Column types that most tables use.
import { type SQL, sql } from "drizzle-orm";
import { integer, type SQLiteColumn, text } from "drizzle-orm/sqlite-core";

/** A text column that is never NULL. */
export const required = (name: string) => text(name).notNull();
/** Epoch milliseconds. */
export const instant = (name: string) => integer(name);

/** A column as an argument of SQLite's JSON functions, which would treat JSON in a text column as a string. */
export const asJson = (column: SQLiteColumn): SQL =>
  column.columnType === "SQLiteTextJson" ? sql`json(${column})` : sql`${column}`;
