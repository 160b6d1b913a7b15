import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { WriteBatcher } from "../../src/delivery/group-commit.ts";
import { openDatabase } from "../../src/store/db/db.ts";
import { makeGuard, PER_CHANNEL_MAX } from "../../src/store/deliveries/due.ts";
import type { DeliveryRecord } from "../../src/store/deliveries/record.ts";
import { breakingDatabase, never } from "../support/breaking-db.ts";
import { countedDatabase } from "../support/counted-db.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS } from "../support/machine.ts";
import { nextDue } from "../support/one-session.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import { type ChannelBody, connect, finished, ledger, post, signUp } from "../support/world.ts";

/** Channels of one workspace, each with a post of its own that is due. */
async function dueChannels(platforms: string[]) {
  const { key, workspace } = await signUp();
  const due: { channel: ChannelBody; post: string; text: string }[] = [];
  for (const [i, platform] of platforms.entries()) {
    const channel = await connect(key, platform);
    const text = `post ${i} for ${channel.handle}`;
    const { id } = await post(key, { text, channels: [channel.id], publish_at: tomorrow() });
    await age(id, DAY_MS + 1000);
    due.push({ channel, post: id, text });
  }
  return { key, workspace, due };
}

describe("the sessions of one publisher", () => {
  it("share their round trips to the database, and each publishes its own", async () => {
    const platforms = ["telegram", "bluesky", "x", "facebook"];
    const { key, workspace, due } = await dueChannels([...platforms, ...platforms, ...platforms]);
    const { db, use } = countedDatabase(testEnv.DB);
    await (await ownPublisher(workspace, due[0]?.channel.id ?? "", { db })).work();
    for (const { channel, post, text } of due) {
      const done = await finished(key, post);
      expect(done.deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
      expect((await ledger(channel.handle)).map((entry) => entry.text)).toEqual([text]);
    }
    // Alone, each would make three: what is due, its send intent, its record.
    expect(use.roundTrips).toBeLessThan(2 * due.length);
  });
});

it("the deliveries of one channel share them too: each is recorded with the send intent of the next", async () => {
  const { key, workspace } = await signUp();
  const channel = await connect(key, "telegram");
  const texts = Array.from({ length: PER_CHANNEL_MAX }, (_, i) => `post ${i}`);
  // So far ahead that the worker's own publisher has no reason to look.
  const publish_at = new Date(Date.now() + 9 * DAY_MS).toISOString();
  const ids: string[] = [];
  for (const text of texts) ids.push((await post(key, { text, channels: [channel.id], publish_at })).id);
  for (const id of ids) await age(id, 9 * DAY_MS + 1000);
  const { db, use } = countedDatabase(testEnv.DB);
  // A round trip waits for the next delivery, however long this takes: nobody loses patience.
  const world = (ctx: Context): Partial<Context> => ({
    pause: (ms, signal) => (signal === undefined ? never() : ctx.pause(ms, signal)),
  });
  await (await ownPublisher(workspace, channel.id, { db, world })).work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(texts);
  // What is due, one send intent, records with the next one's, the last record.
  expect(use.roundTrips).toBe(1 + 1 + 9 + 1);
  // The send intent; the event; the delivery and its next verification; the post.
  expect(use.rowsWritten).toBe((1 + 1 + 2 + 1) * texts.length);
});

it("a first comment writes its row three times, and the time of its delivery twice", async () => {
  const { key, workspace, due } = await dueChannels(["facebook"]);
  const [{ channel, post: id } = expect.fail("nothing is due")] = due;
  const overrides = { [channel.id]: { first_comment: "first" } };
  await testEnv.DB.prepare("UPDATE posts SET overrides = ? WHERE id = ?").bind(JSON.stringify(overrides), id).run();
  const { db, use } = countedDatabase(testEnv.DB);
  await (await ownPublisher(workspace, channel.id, { db })).work();
  expect((await finished(key, id)).deliveries).toMatchObject([{ status: "live", first_comment: "posted" }]);
  // What is due, the send intent, the record; what is due under the post, the intent of the comment, its outcome.
  expect(use.roundTrips).toBe(3 + 3);
  // As above, and the comment's row; then twice that row, the delivery and its next follow-up.
  expect(use.rowsWritten).toBe(1 + 1 + 2 + 1 + 1 + 2 * (1 + 2));
});

describe("a round trip", () => {
  const pause = async () => {};
  const batcherOf = (db: D1Database, keep: (records: DeliveryRecord[]) => void = () => {}) =>
    new WriteBatcher({ db: openDatabase(db), pause, now: Date.now, keep });
  /** How a session on each of these posts would end. */
  async function makeRecords(workspace: string, due: { channel: ChannelBody }[]): Promise<DeliveryRecord[]> {
    const { databaseOf } = compose(testEnv, () => {});
    return Promise.all(
      due.map(async ({ channel }) => {
        const found = (await nextDue(databaseOf(workspace), workspace, channel.id)) ?? expect.fail("nothing is due");
        const { postId } = found.delivery;
        return {
          guard: makeGuard(found, `session of ${postId}`),
          decision: {
            state: "failed",
            nextAt: null,
            hasOpenSend: false,
            retries: 0,
            error: "content_refused",
            detail: `told of ${postId}`,
            event: "delivery.failed",
          },
          event: { id: `evt_${postId}`, event: "delivery.failed", body: "{}", createdAt: Date.now() },
          followUp: { checkAt: null, kinds: [], hasFiles: false },
        };
      }),
    );
  }
  const rowsOf = async (workspace: string) => {
    const { results } = await testEnv.DB.prepare(
      "SELECT post_id, state, detail FROM deliveries WHERE workspace_id = ? ORDER BY post_id",
    )
      .bind(workspace)
      .all();
    return results;
  };
  const eventsOf = async (workspace: string) => {
    const { results } = await testEnv.DB.prepare(
      "SELECT seq - MIN(seq) OVER () + 1 AS seq, post_id FROM events WHERE workspace_id = ? AND post_id IS NOT NULL ORDER BY seq",
    )
      .bind(workspace)
      .all();
    return results;
  };

  it("with a part that the database refuses is made again part by part, and only that part fails", async () => {
    const { workspace, due } = await dueChannels(["telegram", "telegram", "telegram"]);
    const records = await makeRecords(workspace, due);
    // What is no number is stored as nothing, which the column refuses.
    const broken = records[1] ?? expect.fail("there are three");
    broken.decision.retries = Number.NaN;
    const batcher = batcherOf(testEnv.DB);
    const results = await Promise.allSettled(records.map((record) => batcher.record(record)));
    expect(results).toMatchObject([
      { status: "fulfilled", value: { written: true } },
      { status: "rejected" },
      { status: "fulfilled", value: { written: true } },
    ]);
    expect(await rowsOf(workspace)).toEqual(
      due.map(({ post }, i) => ({
        post_id: post,
        state: i === 1 ? "pending" : "failed",
        detail: i === 1 ? null : `told of ${post}`,
      })),
    );
    expect(await eventsOf(workspace)).toEqual([
      { seq: 1, post_id: due[0]?.post },
      { seq: 2, post_id: due[2]?.post },
    ]);
  });

  it.each([false, true])(
    "whose answer is lost (carried out: %s) is made again, and reported once",
    async (committed) => {
      const { workspace, due } = await dueChannels(["telegram", "telegram"]);
      const records = await makeRecords(workspace, due);
      const { db, use } = breakingDatabase(testEnv.DB, { call: 1, committed, how: "once" });
      const kept: DeliveryRecord[] = [];
      const batcher = batcherOf(db, (unwritten) => kept.push(...unwritten));
      const results = await Promise.all(records.map((record) => batcher.record(record)));
      expect(results).toMatchObject([{ written: true }, { written: true }]);
      expect(use.calls).toBe(2);
      // Before it is tried again it is kept where it outlives the object.
      expect(kept).toEqual(records);
      expect(await rowsOf(workspace)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
      expect(await eventsOf(workspace)).toHaveLength(2);
    },
  );

  it.each([
    [1, 100],
    [60, 120],
    [2_000, 400],
  ])("that took %i ms has the next one wait %i ms for sessions that are at work", async (tookMs, waitMs) => {
    const { workspace, due } = await dueChannels(["telegram", "telegram"]);
    const [first, second] = await makeRecords(workspace, due);
    if (first === undefined || second === undefined) return expect.fail("there are two");
    const waits: number[] = [];
    let clock = 0;
    const batcher = new WriteBatcher({
      db: openDatabase(testEnv.DB),
      pause: async (ms) => void waits.push(ms),
      now: () => (clock += tookMs),
      keep: () => {},
    });
    await batcher.record(first);
    const leave = [batcher.join(), batcher.join()];
    await batcher.record(second);
    for (const end of leave) end();
    expect(waits).toEqual([waitMs]);
  });

  it("says to a session that was overtaken that its part was not written, and writes the others", async () => {
    const { workspace, due } = await dueChannels(["telegram", "telegram"]);
    const [old, fresh] = await makeRecords(workspace, due);
    if (old === undefined || fresh === undefined) return expect.fail("there are two");
    const gone = { ...old.guard, version: old.guard.version - 1 };
    const batcher = batcherOf(testEnv.DB);
    const [first, second] = await Promise.all(
      [gone, fresh.guard].map((guard) => batcher.intend({ guard, publishKey: "h", payloadHash: "h" })),
    );
    expect(first).toBeNull();
    expect(second).toMatchObject({ sentAt: expect.any(Number), ageMs: expect.any(Number) });
    expect(await rowsOf(workspace)).toMatchObject([{ state: "pending" }, { state: "sending" }]);
    // A publish key that is not sealed must not disturb other tests.
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });
});
