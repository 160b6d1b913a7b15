import { getTableColumns, getTableName } from "drizzle-orm";
import { getTableConfig, type SQLiteTable } from "drizzle-orm/sqlite-core";
import { expect, it } from "vitest";
import * as schema from "../../../src/store/db/schema.ts";
import { testEnv } from "../../support/env.ts";

const tables: SQLiteTable[] = Object.values(schema);
const listTablesAndIndexes = async () => {
  const { results } = await testEnv.DB.prepare(
    "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND name NOT LIKE 'd1_%'",
  ).all<{ name: string; sql: string | null }>();
  return results;
};

it("each table of the migrations has its type, column by column", async () => {
  const names = (await listTablesAndIndexes())
    .filter(({ sql }) => sql?.startsWith("CREATE TABLE"))
    .map(({ name }) => name);
  expect(tables.map(getTableName).sort()).toEqual(names.sort());
  for (const table of tables) {
    const { results } = await testEnv.DB.prepare('SELECT name, type, "notnull" AS required FROM pragma_table_info(?)')
      .bind(getTableName(table))
      .all();
    const typedColumns = Object.values(getTableColumns(table)).map((column) => ({
      name: column.name,
      type: column.getSQLType().toUpperCase(),
      required: column.notNull && !(column.primary && column.columnType === "SQLiteInteger") ? 1 : 0,
    }));
    const tableColumns = results.map(({ name, type, required }) => ({ name, type, required }));
    expect(typedColumns, getTableName(table)).toEqual(tableColumns);
  }
});

/** Events have their own order. Links and tokens are found by a secret, before the workspace is known. */
const NOT_BY_WORKSPACE = [
  "events",
  "connect_links",
  "review_links",
  "portals",
  "reports",
  "oauth_tokens",
  "invitations",
];

it("each table of a workspace has the workspace first in its key and in its indexes", async () => {
  const rows = await listTablesAndIndexes();
  for (const table of tables) {
    const config = getTableConfig(table);
    if (!config.columns.some(({ name }) => name === "workspace_id") || NOT_BY_WORKSPACE.includes(config.name)) continue;
    const first = config.primaryKeys[0]?.columns[0] ?? config.columns.find(({ primary }) => primary);
    expect(first?.name, config.name).toBe("workspace_id");
    // Indexes on a time alone serve the sweeps over all workspaces, and contain only rows that wait for a time.
    const indexes = rows.filter(
      ({ sql }) =>
        sql?.includes(` ON ${config.name} (`) &&
        !/\((next_at|next_read_at|finished_at|check_at|due_at|warn_at|avatar_at|renew_at|expires_at|created_at|attempted_at|user_id|at\))/.test(
          sql,
        ),
    );
    for (const { name, sql } of indexes) expect(sql, name).toContain("(workspace_id");
  }
});

it("no query of the hot path scans a table", async () => {
  const plans = [
    "SELECT * FROM posts WHERE workspace_id = 'w' AND status = 'scheduled' AND due_at <= 5",
    "SELECT * FROM deliveries WHERE workspace_id = 'w' AND channel_id = 'c' AND next_at <= 5 ORDER BY next_at, post_id LIMIT 1",
    "SELECT * FROM posts WHERE status = 'scheduled' AND due_at <= 5 ORDER BY due_at LIMIT 10",
    "SELECT * FROM deliveries WHERE check_at <= 5 ORDER BY check_at LIMIT 10",
    "SELECT * FROM deliveries WHERE check_at <= 5 AND (check_at, workspace_id, post_id, channel_id) > (1, 'w', 'p', 'c') ORDER BY check_at, workspace_id, post_id, channel_id LIMIT 10",
    "SELECT DISTINCT workspace_id, lane FROM channels WHERE (workspace_id, lane) > ('w', 1) ORDER BY workspace_id, lane LIMIT 10",
    "SELECT * FROM channels WHERE renew_at <= 5 AND (renew_at, workspace_id, id) > (1, 'w', 'c') ORDER BY renew_at, workspace_id, id LIMIT 10",
    "SELECT * FROM workspace_keys WHERE hash = 'h'",
    "SELECT * FROM oauth_tokens WHERE hash = 'h'",
    "SELECT * FROM oauth_tokens WHERE expires_at < 5 ORDER BY expires_at LIMIT 10",
    "SELECT * FROM oauth_grants WHERE expires_at < 5 ORDER BY expires_at LIMIT 10",
    "SELECT * FROM oauth_clients WHERE used_at < 5 LIMIT 10",
    "SELECT * FROM oauth_clients WHERE created_at < 5 AND used_at IS NULL LIMIT 10",
    "SELECT * FROM events WHERE workspace_id = 'w' AND seq > 5 ORDER BY seq LIMIT 50",
    "SELECT workspace_id FROM notices WHERE next_at IS NOT NULL AND next_at <= 5 ORDER BY next_at LIMIT 10",
    "SELECT * FROM notices WHERE created_at < 5 LIMIT 10",
    "SELECT * FROM sessions WHERE user_id = 'u' AND expires_at > 5",
    "SELECT * FROM address_links WHERE token_hash = 'h'",
  ];
  for (const query of plans) {
    const { results } = await testEnv.DB.prepare(`EXPLAIN QUERY PLAN ${query}`).all<{ detail: string }>();
    const plan = results.map(({ detail }) => detail).join("; ");
    expect(plan, query).toMatch(/^SEARCH/);
    if (!query.includes("FROM posts")) expect(plan, query).not.toContain("TEMP B-TREE");
  }
});
