import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * The next `limit` workspaces behind `after` that have rows in a table, in their order: a select of `id`. Each is sought in the
 * table's key, however many rows a workspace has; the last one is NULL when there are no more.
 */
export const nextWorkspaces = (table: SQLiteTable, after: string, limit: number): SQL =>
  sql`(WITH RECURSIVE following (id) AS (SELECT MIN(workspace_id) FROM ${table} WHERE workspace_id > ${after}
    UNION ALL SELECT (SELECT MIN(workspace_id) FROM ${table} WHERE workspace_id > following.id) FROM following
      WHERE following.id IS NOT NULL LIMIT ${limit}) SELECT id FROM following)`;
