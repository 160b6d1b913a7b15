// The objects that keep time, and the messages that they send: evicted, aborted, rung twice, late or not at all; doubled, out of
// order, of another deploy.
import {
  abortAllDurableObjects,
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import worker from "../../src/index.ts";
import type { Clock } from "../../src/publishing/clock.ts";
import { SWEEPER, type Sweeper } from "../../src/publishing/sweeper.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { breakingDatabase, DAY_MS, deliverMessage, MINUTE_MS, sweepNow, tomorrow } from "../support/machine.ts";
import {
  type Account,
  age,
  type ChannelBody,
  connect,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
} from "../support/world.ts";

let account: Account;
let channel: ChannelBody;
beforeEach(async () => {
  account = await signUp();
  channel = await connect(account.key, "telegram");
});
afterEach(async () => {
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});

const clock = () => testEnv.CLOCK.getByName(account.workspace);
const sweeper = () => testEnv.SWEEPER.getByName(SWEEPER);
const planned = (text = "planned") => post(account.key, { text, channels: [channel.id], publish_at: tomorrow() });
const texts = async () => (await ledger(channel.handle)).map(({ text }) => text);

/** Lets a post's time come, for the rows and for what its clock has noted. */
async function comesDue({ id }: PostBody, lateMs = 0): Promise<void> {
  await age(id, DAY_MS + lateMs);
  await runInDurableObject(clock(), (_, state) => {
    state.storage.sql.exec("UPDATE rings SET at = at - ?", DAY_MS + lateMs);
  });
}

describe("a clock", () => {
  it("that was evicted after it was set still rings", async () => {
    const made = await planned();
    await comesDue(made);
    await evictDurableObject(clock());
    expect(await runDurableObjectAlarm(clock())).toBe(true);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("that was aborted after it was set still rings", async () => {
    const made = await planned();
    await comesDue(made);
    await abortAllDurableObjects();
    expect(await runDurableObjectAlarm(clock())).toBe(true);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("rings twice at once, and again when nothing is due: one post", async () => {
    const made = await planned();
    await comesDue(made);
    await runInDurableObject(clock(), (instance: Clock) => Promise.all([instance.alarm(), instance.alarm()]));
    await finished(account.key, made.id);
    await runInDurableObject(clock(), (instance: Clock) => instance.alarm());
    expect(await texts()).toEqual(["planned"]);
  });

  it("rings five minutes late, after the sweeper has seen to it: one post", async () => {
    const made = await planned();
    await comesDue(made, 5 * MINUTE_MS);
    await sweepNow();
    await finished(account.key, made.id);
    await runDurableObjectAlarm(clock());
    await deliverMessage(account.workspace, channel.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("sets itself for what is still to come after it has rung", async () => {
    const [first, second] = [await planned("first"), await planned("second")];
    await age(first.id, DAY_MS);
    await runInDurableObject(clock(), (_, state) => {
      state.storage.sql.exec("INSERT INTO rings VALUES (?, ?)", Date.now() - 1, channel.id);
    });
    await runDurableObjectAlarm(clock());
    await finished(account.key, first.id);
    const next = await runInDurableObject(clock(), (_, state) => state.storage.getAlarm());
    expect(Math.abs((next ?? 0) - Date.parse(second.publish_at ?? ""))).toBeLessThan(1_000);
    expect(await texts()).toEqual(["first"]);
  });

  it("that rings too early sends nothing", async () => {
    const { id } = await planned();
    await runDurableObjectAlarm(clock());
    await deliverMessage(account.workspace, channel.id, 3);
    expect(await getPost(account.key, id)).toMatchObject({ status: "scheduled", deliveries: [{ attempts: 0 }] });
    expect(await texts()).toEqual([]);
  });
});

describe("the sweeper", () => {
  /** A post whose clock has forgotten it. */
  async function forgotten(): Promise<PostBody> {
    const made = await planned();
    await runInDurableObject(clock(), async (_, state) => {
      await state.storage.deleteAlarm();
      state.storage.sql.exec("DELETE FROM rings");
    });
    await age(made.id, DAY_MS + MINUTE_MS);
    return made;
  }

  it("that was evicted or aborted goes on by itself", async () => {
    await sweepNow();
    await evictDurableObject(sweeper());
    const made = await forgotten();
    expect(await runDurableObjectAlarm(sweeper())).toBe(true);
    await finished(account.key, made.id);
    await abortAllDurableObjects();
    const again = await forgotten();
    expect(await runDurableObjectAlarm(sweeper())).toBe(true);
    await finished(account.key, again.id);
    expect(await texts()).toEqual(["planned", "planned"]);
  });

  it("is set going again by the cron trigger when its alarm is gone", async () => {
    await runInDurableObject(sweeper(), (_, state) => state.storage.deleteAlarm());
    const made = await forgotten();
    await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} }, testEnv);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("that looks several times at once finds the same work, which is done once", async () => {
    const made = await forgotten();
    await runInDurableObject(sweeper(), (instance: Sweeper) =>
      Promise.all(Array.from({ length: 4 }, () => instance.alarm())),
    );
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("always sets itself anew", async () => {
    await sweepNow();
    const next = await runInDurableObject(sweeper(), (_, state) => state.storage.getAlarm());
    expect((next ?? 0) - Date.now()).toBeGreaterThan(0);
    expect((next ?? 0) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
  });
});

describe("messages", () => {
  const bodyOf = (over: object = {}) => ({
    kind: "channel",
    workspace: account.workspace,
    channel: channel.id,
    ...over,
  });
  async function consumed(bodies: object[], env = testEnv) {
    const batch = createMessageBatch(
      "crier",
      bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body })),
    );
    const execution = createExecutionContext();
    await worker.queue(batch, env, execution);
    return getQueueResult(batch, execution);
  }

  it("of one batch, doubled and out of order, send each post once, in the order of their times", async () => {
    const made: PostBody[] = [];
    for (const text of ["first", "second", "third"]) made.push(await planned(text));
    const other = await connect(account.key, "bluesky");
    made.push(await post(account.key, { text: "elsewhere", channels: [other.id], publish_at: tomorrow() }));
    for (const { id } of made) await age(id, DAY_MS);
    const bodies = [bodyOf(), bodyOf({ channel: other.id }), bodyOf(), bodyOf(), bodyOf({ channel: other.id })];
    const result = await consumed(bodies);
    expect(result).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(result.explicitAcks).toHaveLength(bodies.length);
    for (const { id } of made) await finished(account.key, id);
    expect(await texts()).toEqual(["first", "second", "third"]);
    expect(await ledger(other.handle)).toHaveLength(1);
  });

  it("come again hours later, and change nothing", async () => {
    const made = await planned();
    await age(made.id, DAY_MS);
    await deliverMessage(account.workspace, channel.id);
    const done = await finished(account.key, made.id);
    await age(made.id, 5 * 60 * MINUTE_MS);
    await deliverMessage(account.workspace, channel.id, 3);
    expect((await getPost(account.key, made.id)).deliveries).toEqual(
      done.deliveries.map((delivery) => expect.objectContaining({ ...delivery, scheduled_for: expect.anything() })),
    );
    expect(await texts()).toEqual(["planned"]);
  });

  it("of an older deploy, of a later one, and of nobody are taken off the queue and hurt nothing", async () => {
    const made = await planned();
    await age(made.id, DAY_MS);
    const strange = [
      bodyOf({ post: made.id, rev: 0, since: "an older deploy" }),
      { kind: "deliver", delivery: "dlv_1" },
      { v: 2 },
      bodyOf({ workspace: "ws_gone" }),
      bodyOf({ channel: "ch_gone" }),
    ];
    const result = await consumed(strange);
    expect(result.explicitAcks).toHaveLength(strange.length);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("whose sibling fails are not lost with it, nor done again when the batch comes again", async () => {
    const first = await planned("first");
    const other = await connect(account.key, "bluesky");
    const elsewhere = await post(account.key, { text: "elsewhere", channels: [other.id], publish_at: tomorrow() });
    for (const { id } of [first, elsewhere]) await age(id, DAY_MS);
    const bodies = [bodyOf(), bodyOf({ channel: other.id })];
    // The two hands share their trips to the database: one that fails may belong to both.
    const { db } = breakingDatabase(testEnv.DB, { call: 2, committed: false, forGood: false });
    const result = await consumed(bodies, { ...testEnv, DB: db });
    expect(result.explicitAcks.length + result.retryMessages.length).toBe(2);
    expect(result.retryMessages.length).toBeGreaterThanOrEqual(1);
    // What a hand held when it broke off comes back when its lease runs out.
    for (const { id } of [first, elsewhere]) await age(id, 6 * MINUTE_MS);
    expect(await consumed(bodies)).toMatchObject({ retryMessages: [] });
    for (const { id } of [first, elsewhere]) await finished(account.key, id);
    expect(await texts()).toEqual(["first"]);
    expect(await ledger(other.handle)).toHaveLength(1);
  });
});
