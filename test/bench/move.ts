// `npm run bench:move`: how long a workspace is locked while it is moved to another database, by the number of its
// published posts. It runs the real move between databases in memory, with each statement as a call of Cloudflare's
// API.
//   --posts 1000,10000,100000   finished posts, each on one channel
//   --call-ms 200               how long a call takes
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { moveWorkspace } from "../../scripts/move/move.ts";
import type { Query } from "../../scripts/query.ts";
import { sqliteDatabase } from "../support/sqlite-database.ts";
import { fillHistory } from "./history.ts";

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "1000,10000,100000" },
    "call-ms": { type: "string", default: "200" },
  },
});
const CALL_MS = Number(values["call-ms"]);
const WORKSPACE = "ws_bench";
const CHANNELS = ["telegram", "bluesky", "x", "linkedin"].map((platform) => ({ id: `ch_${platform}`, platform }));

interface MoveResult {
  rows: number;
  /** The time while it was locked. */
  calls: number;
  seconds: number;
}

async function measureMove(posts: number): Promise<MoveResult> {
  const databases = [sqliteDatabase(), sqliteDatabase()];
  const [from] = databases;
  if (from === undefined) throw new Error("there is no database");
  from.raw
    .prepare("INSERT INTO workspaces (id, name, plan, timezone, created_at) VALUES (?, 'Bench', 'unlimited', 'UTC', 0)")
    .run(WORKSPACE);
  for (const { id, platform } of CHANNELS)
    from.raw
      .prepare(
        `INSERT INTO channels (workspace_id, id, platform, account_id, handle, created_at, updated_at)
          VALUES (?, ?, ?, ?, ?, 0, 0)`,
      )
      .run(WORKSPACE, id, platform, id, id);
  await fillHistory(from.binding, { workspace: WORKSPACE, channels: CHANNELS, posts });

  let [calls, lockedAt, releasedAt] = [0, 0, 0];
  const queries = databases.map(
    ({ raw }): Query =>
      async (sql, ...parameters) => {
        await sleep(CALL_MS);
        const rows = raw.prepare(sql).all(...parameters);
        if (lockedAt > 0 && releasedAt === 0) calls++;
        if (sql.startsWith("INSERT") && sql.includes("'leaving')")) lockedAt ||= Date.now();
        if (sql.startsWith("DELETE") && sql.includes("stage = 'arriving'")) releasedAt ||= Date.now();
        return rows;
      },
  );
  let rows = 0;
  const tell = (text: string) => {
    rows ||= Number(/^(\d+) rows/.exec(text)?.[1] ?? 0);
  };
  await moveWorkspace({ workspace: WORKSPACE, databases: queries, target: 1, tell });
  for (const { raw } of databases) raw.close();
  return { rows, calls, seconds: (releasedAt - lockedAt) / 1_000 };
}

console.log(`| finished posts | rows | calls | seconds locked, at ${CALL_MS} ms a call |\n|---|---|---|---|`);
for (const posts of values.posts.split(",").map(Number)) {
  const { rows, calls, seconds } = await measureMove(posts);
  console.log(`| ${posts} | ${rows} | ${calls} | ${seconds.toFixed(0)} |`);
}
