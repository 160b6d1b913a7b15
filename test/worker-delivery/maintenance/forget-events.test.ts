// Events are kept for 90 days, and the feed continues at its readers' cursors.
import { expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { type EventCursors, forgetEvents } from "../../../src/maintenance/forget-events.ts";
import { breakingDatabase } from "../../support/breaking-db.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { testEnv } from "../../support/env.ts";
import { brokenInvariants } from "../../support/invariants.ts";
import { age } from "../../support/lanes.ts";
import { type Account, call, connect, finished, post, signUp } from "../../support/world.ts";

const DAY = 86_400_000;

async function forget(cursors: EventCursors = {}, DB = testEnv.DB): Promise<void> {
  const ctx = compose({ ...testEnv, DB }, () => {});
  await forgetEvents(ctx, ctx.accounts, cursors);
}
/** Runs the walk until it has come round. */
async function forgetAll(): Promise<void> {
  const cursors: EventCursors = {};
  do await forget(cursors);
  while (cursors.events !== null);
}

const readFeed = async ({ key }: Account, query = "") =>
  (await call<{ events: { id: string }[]; next: string }>("GET", `/v1/events?order=oldest${query}`, { token: key }))
    .body;
const getSeqs = async ({ workspace }: Account): Promise<number[]> =>
  (
    await testEnv.DB.prepare("SELECT seq FROM events WHERE workspace_id = ? ORDER BY seq")
      .bind(workspace)
      .all<{ seq: number }>()
  ).results.map(({ seq }) => seq);

/**
 * Creates a workspace with events, oldest first, by their age in days. `firstSeq` is the sequence number of the first
 * event.
 */
async function createEvents(ages: number[], firstSeq = 1): Promise<Account> {
  const account = await signUp();
  const now = Date.now();
  await testEnv.DB.prepare(
    `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
      SELECT ?1, key + ?4, ?1 || key, 'delivery.retrying', 'post_' || key, 'ch', 1, json_object('id', 'evt_' || key), ?2 - value * ${DAY}
      FROM json_each(?3)`,
  )
    .bind(account.workspace, now, JSON.stringify(ages), firstSeq)
    .run();
  return account;
}

it("deletes events older than 90 days, and a reader with an old cursor misses none and gets none twice", async () => {
  const account = await createEvents([200, 91, 89, 1], 62);
  const { next } = await readFeed(account, "&limit=1");
  await forgetAll();
  expect(await getSeqs(account)).toEqual([64, 65]);
  expect((await readFeed(account)).events.map(({ id }) => id)).toEqual(["evt_2", "evt_3"]);
  expect((await readFeed(account, `&cursor=${next}`)).events.map(({ id }) => id)).toEqual(["evt_2", "evt_3"]);
});

it("keeps the newest events of a workspace however old they are, because the next event continues their sequence", async () => {
  const account = await createEvents([300, 300, 200], 63);
  await forgetAll();
  expect(await getSeqs(account)).toEqual([64, 65]);
  const channel = await connect(account.key, "telegram");
  const { next } = await readFeed(account);
  const { id } = await post(account.key, { text: "x", channels: [channel.id] });
  await finished(account.key, id);
  // 66 is the event of the connected channel.
  expect(await getSeqs(account)).toEqual([64, 65, 66, 67]);
  expect((await readFeed(account, `&cursor=${next}`)).events).toHaveLength(1);
});

it("keeps a post readable after its events were deleted, and breaks no invariant", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "telegram");
  const { id } = await post(account.key, { text: "x", channels: [channel.id] });
  await finished(account.key, id);
  // The next event starts the next block of 32 sequence numbers.
  await testEnv.DB.prepare("UPDATE events SET seq = 31 WHERE workspace_id = ? AND post_id IS NOT NULL")
    .bind(account.workspace)
    .run();
  const later = await post(account.key, { text: "y", channels: [channel.id] });
  await finished(account.key, later.id);
  await age(id, 91 * DAY);
  await testEnv.DB.batch([
    testEnv.DB.prepare("UPDATE events SET created_at = created_at - ?1 WHERE post_id = ?2").bind(91 * DAY, id),
    testEnv.DB.prepare("UPDATE deliveries SET published_at = published_at - ?1 WHERE post_id = ?2").bind(91 * DAY, id),
  ]);
  await forgetAll();
  expect((await readFeed(account, `&post=${id}`)).events).toEqual([]);
  expect((await call("GET", `/v1/posts/${id}`, { token: account.key })).body).toMatchObject({ status: "published" });
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});

it("deletes a bounded number of events at once, and continues there even after a call that broke off", async () => {
  const account = await createEvents(Array.from({ length: 5_500 }, () => 120));
  const before: EventCursors = {};
  // Walks up to this workspace.
  for (;;) {
    await forget(before);
    const remaining = (await getSeqs(account)).length;
    if (remaining < 5_500) break;
    expect(before.events).not.toBeNull();
  }
  const remainingSeqs = await getSeqs(account);
  expect(remainingSeqs.length).toBeGreaterThanOrEqual(500);
  for (const committed of [false, true]) {
    const { db } = breakingDatabase(testEnv.DB, { call: 1, of: /^delete/, committed, how: "once" });
    await expect(forget({ ...before }, db)).rejects.toThrow("delete from");
  }
  await forget(before);
  expect((await getSeqs(account))[0]).toBe(5_472);
});

it("reads one event of a workspace that has nothing old", async () => {
  const account = await createEvents(Array.from({ length: 2_000 }, () => 10));
  const { db, use } = countedDatabase(testEnv.DB);
  const [first] = (
    await testEnv.DB.prepare("SELECT MAX(id) AS id FROM workspaces WHERE id < ?")
      .bind(account.workspace)
      .all<{ id: string }>()
  ).results;
  await forget({ events: first?.id ?? "" }, db);
  expect(use.roundTrips).toBe(1);
  expect(use.rowsRead).toBeLessThan(600);
});
