// A database that is set back to an earlier minute (docs/operations.md).
import { insertRows, readRows, readTables } from "../../scripts/backup/tables.ts";
import type { Query } from "../../scripts/query.ts";
import { afterRestore, applyStanding } from "../../src/store/after-restore.ts";
import { CREATE_STOOD_TABLE, STANDING, STOOD_TABLE, selectStanding } from "../../src/store/standing.ts";
import { testEnv } from "../support/env.ts";

/** Sets a post and its delivery back to what they are now, with all that was told and counted of it in between. */
export async function minuteOf(workspace: string, id: string) {
  const { DB } = testEnv;
  const tables = { posts: "id", deliveries: "post_id" };
  const rows = await Promise.all(
    Object.entries(tables).map(async ([table, column]) => {
      const { results } = await DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ?`).bind(id).all();
      return { table, column, rows: results };
    }),
  );
  const { results: works } = await DB.prepare("SELECT * FROM follow_ups WHERE post_id = ?").bind(id).all();
  return async () => {
    const statements = rows.flatMap(({ table, column, rows }) =>
      rows.map((row) => {
        const names = Object.keys(row);
        const set = names.map((name) => `${name} = ?`).join(", ");
        return DB.prepare(`UPDATE ${table} SET ${set} WHERE ${column} = ?`).bind(...Object.values(row), id);
      }),
    );
    await DB.batch([
      ...statements,
      DB.prepare("DELETE FROM follow_ups WHERE post_id = ?").bind(id),
      ...works.map((row) => {
        const values = Object.keys(row).map(() => "?");
        return DB.prepare(`INSERT INTO follow_ups VALUES (${values.join(", ")})`).bind(...Object.values(row));
      }),
      DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace),
      DB.prepare("DELETE FROM published_counts WHERE workspace_id = ?").bind(workspace),
    ]);
  };
}

/** What `npm run after-restore` does; `until`: the epoch milliseconds from which on nothing was sent any more. */
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

/** Returns what sets the whole database back to this minute, as Time Travel does. */
export async function minuteOfAll(): Promise<() => Promise<void>> {
  const tables = await readTables(query);
  const saved = await Promise.all(
    tables.map(async (table) => {
      const pages = [];
      for await (const page of readRows(query, table)) pages.push(page);
      return { table, rows: pages.flat() };
    }),
  );
  return async () => {
    const triggers = await query("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'");
    for (const { name } of triggers) await query(`DROP TRIGGER ${name}`);
    for (const { name } of tables.toReversed()) await query(`DELETE FROM ${name}`);
    for (const { table, rows } of saved) await insertRows(query, table, rows);
    for (const { sql } of triggers) await query(String(sql));
  };
}

/** Sets the database back as an operator does: what stands is written down before, and applied afterwards. */
export async function restoreWith(setBack: () => Promise<void>): Promise<void> {
  const stood = (await Promise.all(STANDING.map((standing) => query(selectStanding(standing))))).flat();
  await setBack();
  await query(CREATE_STOOD_TABLE);
  const insert = `INSERT INTO ${STOOD_TABLE} (kind, key, content) VALUES (?, ?, ?)`;
  for (const { kind, key, content } of stood) await query(insert, String(kind), String(key), String(content));
  for (const { sql } of applyStanding(0, Date.now())) await query(sql);
  await query(`DROP TABLE ${STOOD_TABLE}`);
}
