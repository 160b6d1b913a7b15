// A database that is restored to an earlier minute (docs/operations.md).
import { readTables } from "../../scripts/backup/tables.ts";
import type { Query } from "../../scripts/query.ts";
import { afterRestore, applyStanding } from "../../src/store/after-restore.ts";
import { CREATE_STOOD_TABLE, STANDING, STOOD_TABLE, selectStanding } from "../../src/store/standing.ts";
import { testEnv } from "../support/env.ts";

/** Saves a post and its delivery. The returned function restores them, and removes later events and counts. */
export async function savePost(workspace: string, id: string) {
  const { DB } = testEnv;
  const tables = { posts: "id", deliveries: "post_id" };
  const rows = await Promise.all(
    Object.entries(tables).map(async ([table, column]) => {
      const { results } = await DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).bind(id).all();
      return { table, column, rows: results };
    }),
  );
  const rowsUnder = await Promise.all(
    ["follow_ups", "thread_parts"].map(async (table) => {
      const { results } = await DB.prepare(`SELECT * FROM ${table} WHERE post_id = ?`).bind(id).all();
      return { table, results };
    }),
  );
  return async () => {
    const statements = rows.flatMap(({ table, column, rows }) =>
      rows.map((row) => {
        const names = Object.keys(row);
        const assignments = names.map((name) => `${name} = ?`).join(", ");
        return DB.prepare(`UPDATE ${table} SET ${assignments} WHERE ${column} = ?`).bind(...Object.values(row), id);
      }),
    );
    await DB.batch([
      ...statements,
      ...rowsUnder.flatMap(({ table, results }) => [
        DB.prepare(`DELETE FROM ${table} WHERE post_id = ?`).bind(id),
        ...results.map((row) => {
          const values = Object.keys(row).map(() => "?");
          return DB.prepare(`INSERT INTO ${table} VALUES (${values.join(", ")})`).bind(...Object.values(row));
        }),
      ]),
      DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace),
      DB.prepare("DELETE FROM published_counts WHERE workspace_id = ?").bind(workspace),
    ]);
  };
}

/** Does the same as `npm run after-restore`. After `until`, in epoch milliseconds, nothing was sent any more. */
export const holdBack = async (until: number) => {
  const { DB } = testEnv;
  await DB.batch(afterRestore(until).map(({ sql }) => DB.prepare(sql)));
};

const query: Query = async (sql, ...params) => {
  const { results } = await testEnv.DB.prepare(sql)
    .bind(...params)
    .all<Record<string, unknown>>();
  return results;
};

/** Saves the whole database. The returned function restores it once, as Time Travel does. */
export async function saveDatabase(): Promise<() => Promise<void>> {
  const tables = await readTables(query);
  // SQLite copies the rows by itself, because they are those of all tests that ran before.
  for (const { name } of tables) await query(`CREATE TABLE saved_${name} AS SELECT * FROM ${name}`);
  return async () => {
    const triggers = await query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers) await query(`DROP TRIGGER ${name}`);
    for (const { name } of tables.toReversed()) await query(`DELETE FROM ${name}`);
    for (const { name } of tables) await query(`INSERT INTO ${name} SELECT * FROM saved_${name}`);
    for (const { name } of tables) await query(`DROP TABLE saved_${name}`);
    for (const { sql } of triggers) await query(String(sql));
  };
}

/**
 * Restores the database as an operator does: revoked access and cancelled posts are saved before, and applied
 * afterwards.
 */
export async function restoreWith(setBack: () => Promise<void>): Promise<void> {
  const savedRows = (await Promise.all(STANDING.map((standing) => query(selectStanding(standing))))).flat();
  await setBack();
  await query(CREATE_STOOD_TABLE);
  const insert = `INSERT INTO ${STOOD_TABLE} (kind, key, content) VALUES (?, ?, ?)`;
  for (const { kind, key, content } of savedRows) await query(insert, String(kind), String(key), String(content));
  for (const { sql } of applyStanding(0, Date.now())) await query(sql);
  await query(`DROP TABLE ${STOOD_TABLE}`);
}
