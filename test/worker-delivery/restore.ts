// A database that is set back to an earlier minute (docs/operations.md).
import { afterRestore } from "../../src/store/after-restore.ts";
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
      DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace),
      DB.prepare("DELETE FROM published_counts WHERE workspace_id = ?").bind(workspace),
    ]);
  };
}

/** What `npm run after-restore` does; `until`: the epoch milliseconds from which on nothing was sent any more. */
export const holdBack = async (until: number) => {
  const { DB } = testEnv;
  await DB.batch(afterRestore(until).map((sql) => DB.prepare(sql)));
};
