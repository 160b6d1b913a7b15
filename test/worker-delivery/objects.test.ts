// The objects that keep time, and the messages that wake them: evicted, aborted, rung twice, late or not at all; doubled, out of
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
const planned = (text = "planned") => post(account.key, { text, channels: [channel.id], publish_at: tomorrow() });
const texts = async () => (await ledger(channel.handle)).map(({ text }) => text);

/** Lets a post's time come. Its publisher's alarm is still set to the day after. */
const comesDue = ({ id }: PostBody, lateMs = 0) => age(id, DAY_MS + lateMs);

describe("a publisher", () => {
  it("that was evicted after it was set still rings", async () => {
    const made = await planned();
    await comesDue(made);
    await evictDurableObject(publisher());
    expect(await runDurableObjectAlarm(publisher())).toBe(true);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("that was aborted after it was set still rings", async () => {
    const made = await planned();
    await comesDue(made);
    await abortAllDurableObjects();
    expect(await runDurableObjectAlarm(publisher())).toBe(true);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("whose alarm rang a moment early waits for the time, and does not ring again and again until then", async () => {
    const made = await planned();
    await comesDue(made, -1_500);
    let passedMs = 0;
    const { work } = await ownPublisher(account.workspace, channel.id, {
      world: (ctx) => ({
        now: () => ctx.now() + passedMs,
        pause: async (ms, signal) => {
          if (passedMs > 0) return ctx.pause(ms, signal);
          passedMs = ms;
          await age(made.id, ms);
        },
      }),
    });
    await work();
    expect(await texts()).toEqual(["planned"]);
  });

  it("rings twice at once, and again when nothing is due: one post", async () => {
    const made = await planned();
    await comesDue(made);
    await runInDurableObject(publisher(), (instance: Publisher) => Promise.all([instance.alarm(), instance.alarm()]));
    await finished(account.key, made.id);
    await runInDurableObject(publisher(), (instance: Publisher) => instance.alarm());
    expect(await texts()).toEqual(["planned"]);
  });

  it("rings five minutes late, after the sweeper has seen to it: one post", async () => {
    const made = await planned();
    await comesDue(made, 5 * MINUTE_MS);
    await sweepNow();
    await finished(account.key, made.id);
    await publishNow(account.workspace, channel.id);
    await deliverMessage(account.workspace, channel.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("sets itself for what is still to come after it has rung", async () => {
    const [first, second] = [await planned("first"), await planned("second")];
    await age(first.id, DAY_MS);
    await publishNow(account.workspace, channel.id);
    await finished(account.key, first.id);
    const next = await runInDurableObject(publisher(), (_, { storage }) => storage.getAlarm());
    expect(Math.abs((next ?? 0) - Date.parse(second.publish_at ?? ""))).toBeLessThan(1_000);
    expect(await texts()).toEqual(["first"]);
  });

  it("whose alarm comes too early sends nothing", async () => {
    const { id } = await planned();
    await runDurableObjectAlarm(publisher());
    await deliverMessage(account.workspace, channel.id, 3);
    expect(await getPost(account.key, id)).toMatchObject({ status: "scheduled", deliveries: [{ attempts: 0 }] });
    expect(await texts()).toEqual([]);
  });

  it("that is set to nothing when its last channel has gone stores nothing any more", async () => {
    await planned();
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(account.workspace).run();
    await runDurableObjectAlarm(publisher());
    const left = await runInDurableObject(publisher(), async (_, { storage }) => [
      await storage.getAlarm(),
      ...(await storage.list()).keys(),
    ]);
    expect(left).toEqual([null]);
  });
});

describe("the sweeper", () => {
  /** A post whose publisher has forgotten it. */
  async function forgotten(): Promise<PostBody> {
    const made = await planned();
    await runInDurableObject(publisher(), (_, { storage }) => storage.deleteAlarm());
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

  it("is set going again by the cron trigger when its alarm should have rung more than ten seconds ago", async () => {
    await sweepNow();
    const alarmAt = async () => (await runInDurableObject(sweeper(), (_, state) => state.storage.getAlarm())) ?? 0;
    const first = await alarmAt();
    /** Alarms ring by another clock. */
    const ensuredAt = async (now: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now });
      onTestFinished(() => void vi.useRealTimers());
      await worker.scheduled({ scheduledTime: now, cron: "* * * * *", noRetry: () => {} }, testEnv);
      return alarmAt();
    };
    expect(await ensuredAt(first + 10_000)).toBe(first);
    expect(await ensuredAt(first + 10_001)).toBe(first + 10_002);
  });

  it("that reads several times at once finds the same work, which is done once", async () => {
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
  const bodyOf = (over: object = {}) => ({ kind: "publish", workspace: account.workspace, lane: 0, ...over });
  async function consumed(bodies: object[], env = testEnv) {
    const batch = createMessageBatch(
      "crier",
      bodies.map((body, i) => ({ id: `m${i}`, timestamp: new Date(), attempts: 1, body })),
    );
    const execution = createExecutionContext();
    await worker.queue(batch, env, execution);
    return getQueueResult(batch, execution);
  }

  it("of one batch, doubled, have each post sent once, in the order of their times", async () => {
    const made: PostBody[] = [];
    for (const text of ["first", "second", "third"]) made.push(await planned(text));
    const other = await connect(account.key, "bluesky");
    made.push(await post(account.key, { text: "elsewhere", channels: [other.id], publish_at: tomorrow() }));
    for (const { id } of made) await age(id, DAY_MS);
    const bodies = Array.from({ length: 5 }, () => bodyOf());
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
      { kind: "channel", workspace: account.workspace, channel: channel.id },
      { kind: "deliver", delivery: "dlv_1" },
      { v: 2 },
      bodyOf({ workspace: "ws_gone" }),
      bodyOf({ lane: 7 }),
      bodyOf({ kind: "verify", channel: "ch_gone", posts: ["post_gone"] }),
      bodyOf({ rev: 0, since: "an older deploy" }),
    ];
    const result = await consumed(strange);
    expect(result.explicitAcks).toHaveLength(strange.length);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });

  it("whose publisher cannot be reached come again, and no others with them", async () => {
    const made = await planned();
    await age(made.id, DAY_MS);
    const unreachable = new Proxy(testEnv.PUBLISHER, {
      get(target, name) {
        if (name !== "getByName") return Reflect.get(target, name);
        return (of: string) => {
          if (of.startsWith("ws_far")) throw new Error("Durable Object storage operation exceeded timeout");
          return target.getByName(of);
        };
      },
    });
    const result = await consumed([bodyOf(), bodyOf({ workspace: "ws_far" })], { ...testEnv, PUBLISHER: unreachable });
    expect(result.explicitAcks).toEqual(["m0"]);
    expect(result.retryMessages).toMatchObject([{ msgId: "m1" }]);
    await finished(account.key, made.id);
    expect(await texts()).toEqual(["planned"]);
  });
});
