import { type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/**
 * A select of `id`: the next `limit` workspaces after `after` that have rows in a table, in order. Each is found
 * through the table's key, however many rows a workspace has; the last id is NULL if no workspaces are left.
 */
export const nextWorkspaces = (table: SQLiteTable, after: string, limit: number): SQL =>
  sql`(WITH RECURSIVE following (id) AS (SELECT MIN(workspace_id) FROM ${table} WHERE workspace_id > ${after}
    UNION ALL SELECT (SELECT MIN(workspace_id) FROM ${table} WHERE workspace_id > following.id) FROM following
      WHERE following.id IS NOT NULL LIMIT ${limit}) SELECT id FROM following)`;
