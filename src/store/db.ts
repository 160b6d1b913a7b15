import { sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import * as schema from "./schema.ts";

export type Database = DrizzleD1Database<typeof schema>;

/** Opens a database. Reads take it with a workspace id; writes are statements that one `batch` makes atomic. */
export function openDatabase(binding: D1Database): Database {
  return drizzle(binding, { schema });
}

/** The database's own clock in epoch milliseconds: leases and due times are judged by no other. */
export const NOW = sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

/** Whether a failed batch failed because a row of this unique key exists: `table.column`. */
export function violatesUnique(error: unknown, column: string): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(`UNIQUE constraint failed: ${column}`)) return true;
  }
  return false;
}
