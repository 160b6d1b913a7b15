// The cost of a sweep with much unfinished work: `node test/bench/sweep.ts [posts]`. Prints the median processor time
// of each part of a sweep, and of the health check.

import type { SweepCursors } from "../../src/maintenance/sweep.ts";
import { takeJson } from "../support/json-modules.ts";
import { sqliteDatabase } from "../support/sqlite-database.ts";

takeJson();
// Static imports would load these modules before the line above runs.
const { renewCredentials, enqueueFollowUps, wakeLateDispatchers, wakeLatePublishers } = await import(
  "../../src/maintenance/find-work.ts"
);
const { lookAhead } = await import("../../src/maintenance/preflight-lookahead.ts");
const { sendTimeoutsMs } = await import("../../src/networks/index.ts");
const { openDatabase } = await import("../../src/store/db/db.ts");
const { overdueWork } = await import("../../src/store/deliveries/overdue.ts");

const POSTS = Number(process.argv[2] ?? 1_000_000);
const WORKSPACES = 10_000;
const CHANNELS_EACH = 4;
const RUNS = 9;
const MINUTE = 60_000;

type Backlog = "everything is late" | "everything waits for a retry" | "everything is late, on one channel";

function fill(waits: Backlog) {
  const { raw, binding } = sqliteDatabase();
  const now = Date.now();
  raw.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF; BEGIN");
  const workspace = (i: number) => `ws_${String(i).padStart(26, "0")}`;
  const channel = (i: number) => `ch_${String(i).padStart(26, "0")}`;
  const addChannel = raw.prepare(
    "INSERT INTO channels (workspace_id, id, platform, handle, credential, renew_at, created_at, updated_at) VALUES (?, ?, 'telegram', ?, ?, ?, 0, 0)",
  );
  const credential = "x".repeat(600);
  for (let i = 0; i < WORKSPACES * CHANNELS_EACH; i++)
    addChannel.run(workspace(i % WORKSPACES), channel(i), `h${i}`, credential, i % 50 === 0 ? now - i : now + MINUTE);
  const addPost = raw.prepare(
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, due_at, timezone, created_at, updated_at)
      VALUES (?, ?, 'scheduled', 'A text of some length, as people write them.', '[]', '[]', '{}', '{}', ?, 'UTC', 0, 0)`,
  );
  const addDelivery = raw.prepare(
    `INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, scheduled_for, next_at, check_at)
      VALUES (?, ?, ?, ?, 'telegram', ?, ?, ?, ?)`,
  );
  for (let i = 0; i < POSTS; i++) {
    const channelIndex = waits === "everything is late, on one channel" ? 0 : i % (WORKSPACES * CHANNELS_EACH);
    const post = `post_${String(i).padStart(26, "0")}`;
    // Spread over the last two weeks, so that some hundred become due in a minute.
    const dueAt = now - MINUTE - Math.floor((i / POSTS) * 14 * 1440) * MINUTE;
    const isLate = waits !== "everything waits for a retry";
    addPost.run(workspace(channelIndex % WORKSPACES), post, dueAt);
    addDelivery.run(
      workspace(channelIndex % WORKSPACES),
      post,
      channel(channelIndex),
      `dlv_${i}`,
      isLate ? "pending" : "retry_wait",
      dueAt,
      isLate ? dueAt : now + 60 * MINUTE,
      dueAt,
    );
  }
  raw.exec("COMMIT; ANALYZE; DELETE FROM sqlite_stat1; ");
  return openDatabase(binding);
}

const milliseconds = ({ user, system }: NodeJS.CpuUsage) => (user + system) / 1000;
const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

for (const waits of [
  "everything is late",
  "everything waits for a retry",
  "everything is late, on one channel",
] satisfies Backlog[]) {
  const db = fill(waits);
  const messageCounts = new Map<string, number>();
  const ctx = {
    now: Date.now,
    queue: {
      async send(jobs: { kind: string }[]) {
        for (const { kind } of jobs) messageCounts.set(kind, (messageCounts.get(kind) ?? 0) + 1);
      },
    },
    webhooks: { wake: async () => {} },
  };
  const cursors: SweepCursors = {};
  const parts = {
    publish: () => wakeLatePublishers(ctx, db, cursors),
    renew: () => renewCredentials(ctx, db, cursors),
    preflight: () => lookAhead(ctx, db, cursors),
    followUps: () => enqueueFollowUps(ctx, db, cursors),
    webhooks: () => wakeLateDispatchers(ctx, db, cursors),
    health: () => overdueWork(db, { graceMs: MINUTE, sendTimeoutsMs }),
  };
  console.log(`\n${POSTS.toLocaleString("en")} unfinished posts of ${WORKSPACES} workspaces: ${waits}`);
  const spent = new Map<string, number[]>(Object.keys(parts).map((name) => [name, []]));
  for (let run = 0; run < RUNS; run++) {
    for (const [name, runPart] of Object.entries(parts)) {
      const before = process.cpuUsage();
      await runPart();
      spent.get(name)?.push(milliseconds(process.cpuUsage(before)));
    }
  }
  for (const [name, times] of spent)
    console.log(
      `  ${name.padEnd(10)} ${median(times).toFixed(1).padStart(7)} ms, at most ${Math.max(...times).toFixed(1)}`,
    );
  const sweep = [...spent].filter(([name]) => name !== "health").map(([, times]) => median(times));
  console.log(
    `  a sweep    ${sweep
      .reduce((a, b) => a + b, 0)
      .toFixed(1)
      .padStart(7)} ms`,
  );
  console.log(`  messages of ${RUNS} sweeps: ${[...messageCounts].map(([kind, n]) => `${kind} ${n}`).join(", ")}`);
}
