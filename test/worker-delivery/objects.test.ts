// Durable Objects and the queue messages that wake them. Objects are evicted or aborted, and their alarms fire twice,
// late or not at all. Messages come twice, out of order, or from another deploy.

import {
  abortAllDurableObjects,
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from "cloudflare:test";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { SWEEPER } from "../../src/env.ts";
import worker from "../../src/index.ts";
import type { Publisher } from "../../src/objects/publisher.ts";
import type { Sweeper } from "../../src/objects/sweeper.ts";
import { tomorrow } from "../support/dates.ts";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, deliverMessage, MINUTE_MS, publishNow, sweepNow } from "../support/machine.ts";
import { ownPublisher } from "../support/own-publisher.ts";
import {
  type Account,
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

const publisher = () => testEnv.PUBLISHER.getByName(`${account.workspace}:0`);
const sweeper = () => testEnv.SWEEPER.getByName(SWEEPER);
const createPlannedPost = (text = "planned") =>
  post(account.key, { text, channels: [channel.id], publish_at: tomorrow() });
const getPublishedTexts = async () => (await ledger(channel.handle)).map(({ text }) => text);

/** Moves a post to its due time. Its publisher's alarm remains set to the next day. */
const makeDue = ({ id }: PostBody, lateMs = 0) => age(id, DAY_MS + lateMs);

describe("a publisher", () => {
  it("fires its alarm after it was evicted", async () => {
    const plannedPost = await createPlannedPost();
    await makeDue(plannedPost);
    await evictDurableObject(publisher());
    expect(await runDurableObjectAlarm(publisher())).toBe(true);
    await finished(account.key, plannedPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("fires its alarm after it was aborted", async () => {
    const plannedPost = await createPlannedPost();
    await makeDue(plannedPost);
    await abortAllDurableObjects();
    expect(await runDurableObjectAlarm(publisher())).toBe(true);
    await finished(account.key, plannedPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("waits for the due time if its alarm fires a moment early, without further alarms", async () => {
    const plannedPost = await createPlannedPost();
    await makeDue(plannedPost, -1_500);
    let passedMs = 0;
    const { work } = await ownPublisher(account.workspace, channel.id, {
      world: (ctx) => ({
        now: () => ctx.now() + passedMs,
        pause: async (ms, signal) => {
          if (passedMs > 0) return ctx.pause(ms, signal);
          passedMs = ms;
          await age(plannedPost.id, ms);
        },
      }),
    });
    await work();
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("publishes once if its alarm fires twice at once and again without due work", async () => {
    const plannedPost = await createPlannedPost();
    await makeDue(plannedPost);
    await runInDurableObject(publisher(), (instance: Publisher) => Promise.all([instance.alarm(), instance.alarm()]));
    await finished(account.key, plannedPost.id);
    await runInDurableObject(publisher(), (instance: Publisher) => instance.alarm());
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("publishes once if its alarm fires five minutes late, after the sweeper has found the work", async () => {
    const plannedPost = await createPlannedPost();
    await makeDue(plannedPost, 5 * MINUTE_MS);
    await sweepNow();
    await finished(account.key, plannedPost.id);
    await publishNow(account.workspace, channel.id);
    await deliverMessage(account.workspace, channel.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("sets its alarm for the next post after an alarm", async () => {
    const [first, second] = [await createPlannedPost("first"), await createPlannedPost("second")];
    await age(first.id, DAY_MS);
    await publishNow(account.workspace, channel.id);
    await finished(account.key, first.id);
    const next = await runInDurableObject(publisher(), (_, { storage }) => storage.getAlarm());
    expect(Math.abs((next ?? 0) - Date.parse(second.publish_at ?? ""))).toBeLessThan(1_000);
    expect(await getPublishedTexts()).toEqual(["first"]);
  });

  it("sends nothing if its alarm fires too early", async () => {
    const { id } = await createPlannedPost();
    await runDurableObjectAlarm(publisher());
    await deliverMessage(account.workspace, channel.id, 3);
    expect(await getPost(account.key, id)).toMatchObject({ status: "scheduled", deliveries: [{ attempts: 0 }] });
    expect(await getPublishedTexts()).toEqual([]);
  });

  it("stores nothing any more after its last channel was deleted", async () => {
    await createPlannedPost();
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(account.workspace).run();
    await runDurableObjectAlarm(publisher());
    const storedValues = await runInDurableObject(publisher(), async (_, { storage }) => [
      await storage.getAlarm(),
      ...(await storage.list()).keys(),
    ]);
    expect(storedValues).toEqual([null]);
  });
});

describe("the sweeper", () => {
  /** A post whose publisher has lost its alarm. */
  async function createForgottenPost(): Promise<PostBody> {
    const plannedPost = await createPlannedPost();
    await runInDurableObject(publisher(), (_, { storage }) => storage.deleteAlarm());
    await age(plannedPost.id, DAY_MS + MINUTE_MS);
    return plannedPost;
  }

  it("continues by itself after it was evicted or aborted", async () => {
    await sweepNow();
    await evictDurableObject(sweeper());
    const plannedPost = await createForgottenPost();
    expect(await runDurableObjectAlarm(sweeper())).toBe(true);
    await finished(account.key, plannedPost.id);
    await abortAllDurableObjects();
    const again = await createForgottenPost();
    expect(await runDurableObjectAlarm(sweeper())).toBe(true);
    await finished(account.key, again.id);
    expect(await getPublishedTexts()).toEqual(["planned", "planned"]);
  });

  it("is restarted by the cron trigger if its alarm is gone", async () => {
    await runInDurableObject(sweeper(), (_, state) => state.storage.deleteAlarm());
    const forgottenPost = await createForgottenPost();
    await worker.scheduled({ scheduledTime: Date.now(), cron: "* * * * *", noRetry: () => {} }, testEnv);
    await finished(account.key, forgottenPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("is restarted by the cron trigger if its alarm is more than ten seconds overdue", async () => {
    await sweepNow();
    const getAlarmAt = async () => (await runInDurableObject(sweeper(), (_, state) => state.storage.getAlarm())) ?? 0;
    const first = await getAlarmAt();
    /** Alarms use another clock than the faked one. */
    const triggerAt = async (now: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now });
      onTestFinished(() => void vi.useRealTimers());
      await worker.scheduled({ scheduledTime: now, cron: "* * * * *", noRetry: () => {} }, testEnv);
      return getAlarmAt();
    };
    expect(await triggerAt(first + 10_000)).toBe(first);
    expect(await triggerAt(first + 10_001)).toBe(first + 10_002);
  });

  it("finds the same work in several sweeps at once, and the work is done once", async () => {
    const forgottenPost = await createForgottenPost();
    await runInDurableObject(sweeper(), (instance: Sweeper) =>
      Promise.all(Array.from({ length: 4 }, () => instance.alarm())),
    );
    await finished(account.key, forgottenPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("always sets its next alarm", async () => {
    await sweepNow();
    const next = await runInDurableObject(sweeper(), (_, state) => state.storage.getAlarm());
    expect((next ?? 0) - Date.now()).toBeGreaterThan(0);
    expect((next ?? 0) - Date.now()).toBeLessThanOrEqual(MINUTE_MS);
  });
});

describe("queue messages", () => {
  const buildBody = (fields: object = {}) => ({ kind: "publish", workspace: account.workspace, lane: 0, ...fields });
  async function consume(bodies: object[], env = testEnv) {
    const batch = createMessageBatch(
      "crier",
      bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body })),
    );
    const execution = createExecutionContext();
    await worker.queue(batch, env, execution);
    return getQueueResult(batch, execution);
  }

  it("send each post once and in the order of their times if a batch contains them several times", async () => {
    const createdPosts: PostBody[] = [];
    for (const text of ["first", "second", "third"]) createdPosts.push(await createPlannedPost(text));
    const otherChannel = await connect(account.key, "bluesky");
    createdPosts.push(
      await post(account.key, { text: "elsewhere", channels: [otherChannel.id], publish_at: tomorrow() }),
    );
    for (const { id } of createdPosts) await age(id, DAY_MS);
    const bodies = Array.from({ length: 5 }, () => buildBody());
    const result = await consume(bodies);
    expect(result).toMatchObject({ outcome: "ok", retryMessages: [] });
    expect(result.explicitAcks).toHaveLength(bodies.length);
    for (const { id } of createdPosts) await finished(account.key, id);
    expect(await getPublishedTexts()).toEqual(["first", "second", "third"]);
    expect(await ledger(otherChannel.handle)).toHaveLength(1);
  });

  it("change nothing when they arrive again hours later", async () => {
    const plannedPost = await createPlannedPost();
    await age(plannedPost.id, DAY_MS);
    await deliverMessage(account.workspace, channel.id);
    const finishedPost = await finished(account.key, plannedPost.id);
    await age(plannedPost.id, 5 * 60 * MINUTE_MS);
    await deliverMessage(account.workspace, channel.id, 3);
    expect((await getPost(account.key, plannedPost.id)).deliveries).toEqual(
      finishedPost.deliveries.map((delivery) =>
        expect.objectContaining({ ...delivery, scheduled_for: expect.anything() }),
      ),
    );
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("are acknowledged and harmless if they come from an older or later deploy, or name unknown rows", async () => {
    const plannedPost = await createPlannedPost();
    await age(plannedPost.id, DAY_MS);
    const strangeBodies = [
      { kind: "channel", workspace: account.workspace, channel: channel.id },
      { kind: "deliver", delivery: "dlv_1" },
      { v: 2 },
      buildBody({ workspace: "ws_gone" }),
      buildBody({ lane: 7 }),
      buildBody({ kind: "after_publish", channel: "ch_gone", posts: ["post_gone"] }),
      buildBody({ rev: 0, since: "an older deploy" }),
    ];
    const result = await consume(strangeBodies);
    expect(result.explicitAcks).toHaveLength(strangeBodies.length);
    await finished(account.key, plannedPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });

  it("are retried if their publisher cannot be reached, and the other messages are not", async () => {
    const plannedPost = await createPlannedPost();
    await age(plannedPost.id, DAY_MS);
    const unreachable = new Proxy(testEnv.PUBLISHER, {
      get(target, name) {
        if (name !== "getByName") return Reflect.get(target, name);
        return (objectName: string) => {
          if (objectName.startsWith("ws_far")) throw new Error("Durable Object storage operation exceeded timeout");
          return target.getByName(objectName);
        };
      },
    });
    const result = await consume([buildBody(), buildBody({ workspace: "ws_far" })], {
      ...testEnv,
      PUBLISHER: unreachable,
    });
    expect(result.explicitAcks).toEqual(["m0"]);
    expect(result.retryMessages).toMatchObject([{ msgId: "m1" }]);
    await finished(account.key, plannedPost.id);
    expect(await getPublishedTexts()).toEqual(["planned"]);
  });
});
