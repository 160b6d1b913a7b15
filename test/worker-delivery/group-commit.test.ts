import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import type { Context } from "../../src/context.ts";
import { GroupCommit } from "../../src/delivery/group-commit.ts";
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

/** Channels of one workspace, each with a due post of its own. */
async function createDueChannels(platforms: string[]) {
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
  it("share their round trips to the database, and each publishes its own post", async () => {
    const platforms = ["telegram", "bluesky", "x", "facebook"];
    const { key, workspace, due } = await createDueChannels([...platforms, ...platforms, ...platforms]);
    const { db, use } = countedDatabase(testEnv.DB);
    await (await ownPublisher(workspace, due[0]?.channel.id ?? "", { db })).work();
    for (const { channel, post, text } of due) {
      const finishedPost = await finished(key, post);
      expect(finishedPost.deliveries).toMatchObject([{ status: "live", attempts: 1 }]);
      expect((await ledger(channel.handle)).map((entry) => entry.text)).toEqual([text]);
    }
    // A single session would make three round trips: the due delivery, its send intent, its record.
    expect(use.roundTrips).toBeLessThan(2 * due.length);
  });
});

it("shares round trips between the deliveries of one channel, recording each with the send intent of the next", async () => {
  const { key, workspace } = await signUp();
  const channel = await connect(key, "telegram");
  const texts = Array.from({ length: PER_CHANNEL_MAX }, (_, i) => `post ${i}`);
  // The time is so far away that the worker's own publisher has no reason to read the posts.
  const publish_at = new Date(Date.now() + 9 * DAY_MS).toISOString();
  const ids: string[] = [];
  for (const text of texts) ids.push((await post(key, { text, channels: [channel.id], publish_at })).id);
  for (const id of ids) await age(id, 9 * DAY_MS + 1000);
  const { db, use } = countedDatabase(testEnv.DB);
  // A round trip waits for the next delivery without a time limit.
  const world = (ctx: Context): Partial<Context> => ({
    pause: (ms, signal) => (signal === undefined ? never() : ctx.pause(ms, signal)),
  });
  await (await ownPublisher(workspace, channel.id, { db, world })).work();
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(texts);
  // The due deliveries, the first send intent, nine records with the next send intent, and the last record.
  expect(use.roundTrips).toBe(1 + 1 + 9 + 1);
  // The send intent, the event, the delivery with its next recheck, and the post.
  expect(use.rowsWritten).toBe((1 + 1 + 2 + 1) * texts.length);
});

it("writes the row of a first comment three times, and the time of its delivery twice", async () => {
  const { key, workspace, due } = await createDueChannels(["facebook"]);
  const [{ channel, post: id } = expect.fail("nothing is due")] = due;
  const overrides = { [channel.id]: { first_comment: "first" } };
  await testEnv.DB.prepare("UPDATE posts SET overrides = ? WHERE id = ?").bind(JSON.stringify(overrides), id).run();
  const { db, use } = countedDatabase(testEnv.DB);
  await (await ownPublisher(workspace, channel.id, { db })).work();
  expect((await finished(key, id)).deliveries).toMatchObject([{ status: "live", first_comment: "posted" }]);
  // The due delivery, its send intent and its record; then the due comment, its intent and its result.
  expect(use.roundTrips).toBe(3 + 3);
  // As above, and the comment's row; then twice that row, and the delivery with its next follow-up.
  expect(use.rowsWritten).toBe(1 + 1 + 2 + 1 + 1 + 2 * (1 + 2));
});

describe("a round trip", () => {
  const pause = async () => {};
  const createGroupCommit = (db: D1Database, keepRecords: (records: DeliveryRecord[]) => void = () => {}) =>
    new GroupCommit({
      ctx: { databaseOf: () => openDatabase(db), pause, now: Date.now },
      unwritten: { keepRecords },
      workspaceId: "",
    });
  /** The records that a session of each post would write. */
  async function makeRecords(workspace: string, due: { channel: ChannelBody }[]): Promise<DeliveryRecord[]> {
    const { databaseOf } = compose(testEnv, () => {});
    return Promise.all(
      due.map(async ({ channel }) => {
        const dueDelivery =
          (await nextDue(databaseOf(workspace), workspace, channel.id)) ?? expect.fail("nothing is due");
        const { postId } = dueDelivery.delivery;
        return {
          guard: makeGuard(dueDelivery, `session of ${postId}`),
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
  const getRows = async (workspace: string) => {
    const { results } = await testEnv.DB.prepare(
      "SELECT post_id, state, last_try ->> '$.detail' AS detail FROM deliveries WHERE workspace_id = ? ORDER BY post_id",
    )
      .bind(workspace)
      .all();
    return results;
  };
  const getEvents = async (workspace: string) => {
    const { results } = await testEnv.DB.prepare(
      "SELECT seq - MIN(seq) OVER () + 1 AS seq, post_id FROM events WHERE workspace_id = ? AND post_id IS NOT NULL ORDER BY seq",
    )
      .bind(workspace)
      .all();
    return results;
  };

  it("is repeated statement by statement if the database rejects one, and only that one fails", async () => {
    const { workspace, due } = await createDueChannels(["telegram", "telegram", "telegram"]);
    const records = await makeRecords(workspace, due);
    // No instant is that late, so the column rejects it.
    const broken = records[1] ?? expect.fail("there are three");
    broken.decision.nextAt = Number.MAX_SAFE_INTEGER;
    const groupCommit = createGroupCommit(testEnv.DB);
    const results = await Promise.allSettled(records.map((record) => groupCommit.record(record)));
    expect(results).toMatchObject([
      { status: "fulfilled", value: { written: true } },
      { status: "rejected" },
      { status: "fulfilled", value: { written: true } },
    ]);
    expect(await getRows(workspace)).toEqual(
      due.map(({ post }, i) => ({
        post_id: post,
        state: i === 1 ? "pending" : "failed",
        detail: i === 1 ? null : `told of ${post}`,
      })),
    );
    expect(await getEvents(workspace)).toEqual([
      { seq: 1, post_id: due[0]?.post },
      { seq: 2, post_id: due[2]?.post },
    ]);
  });

  it.each([false, true])(
    "is repeated if its answer is lost (carried out: %s), and reported once",
    async (committed) => {
      const { workspace, due } = await createDueChannels(["telegram", "telegram"]);
      const records = await makeRecords(workspace, due);
      const { db, use } = breakingDatabase(testEnv.DB, { call: 1, committed, how: "once" });
      const storedRecords: DeliveryRecord[] = [];
      const groupCommit = createGroupCommit(db, (unwritten) => storedRecords.push(...unwritten));
      const results = await Promise.all(records.map((record) => groupCommit.record(record)));
      expect(results).toMatchObject([{ written: true }, { written: true }]);
      expect(use.calls).toBe(2);
      // Before the repetition, the records are kept where they outlive the object.
      expect(storedRecords).toEqual(records);
      expect(await getRows(workspace)).toMatchObject([{ state: "failed" }, { state: "failed" }]);
      expect(await getEvents(workspace)).toHaveLength(2);
    },
  );

  it.each([
    [1, 100],
    [60, 120],
    [2_000, 400],
  ])("that took %i ms makes the next one wait %i ms for sessions that are still working", async (tookMs, waitMs) => {
    const { workspace, due } = await createDueChannels(["telegram", "telegram"]);
    const [first, second] = await makeRecords(workspace, due);
    if (first === undefined || second === undefined) return expect.fail("there are two");
    const waits: number[] = [];
    let clock = 0;
    const groupCommit = new GroupCommit({
      ctx: {
        databaseOf: () => openDatabase(testEnv.DB),
        pause: async (ms) => void waits.push(ms),
        now: () => (clock += tookMs),
      },
      unwritten: { keepRecords() {} },
      workspaceId: "",
    });
    await groupCommit.record(first);
    const writers = ["first", "second"];
    for (const writer of writers) groupCommit.expect(writer);
    await groupCommit.record(second);
    for (const writer of writers) groupCommit.dismiss(writer);
    expect(waits).toEqual([waitMs]);
  });

  it("tells an overtaken session that its intent was not written, and writes the others", async () => {
    const { workspace, due } = await createDueChannels(["telegram", "telegram"]);
    const [old, fresh] = await makeRecords(workspace, due);
    if (old === undefined || fresh === undefined) return expect.fail("there are two");
    const staleGuard = { ...old.guard, version: old.guard.version - 1 };
    const groupCommit = createGroupCommit(testEnv.DB);
    const [first, second] = await Promise.all(
      [staleGuard, fresh.guard].map((guard) => groupCommit.announce({ guard, publishKey: "h", payloadHash: "h" })),
    );
    expect(first).toBeNull();
    expect(second).toMatchObject({ sentAt: expect.any(Number), ageMs: expect.any(Number) });
    expect(await getRows(workspace)).toMatchObject([{ state: "pending" }, { state: "sending" }]);
    // An unsealed publish key must not disturb other tests.
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });
});
