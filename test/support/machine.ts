// What sets a publisher going, when a test says so: its alarm, a queue message, the sweeper.

import { createExecutionContext, createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import { expect } from "vitest";
import { SWEEPER } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { tomorrow } from "./dates.ts";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import { age, isAtRest, publisherOf } from "./lanes.ts";
import { type Account, type ChannelBody, FINISHED, getPost, type PostBody, post } from "./world.ts";

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** A post for one channel whose time has come, and that nothing has touched yet. */
export async function duePost(account: Account, channel: ChannelBody, body: object = {}): Promise<PostBody> {
  const made = await post(account.key, { text: "once", channels: [channel.id], publish_at: tomorrow(), ...body });
  await age(made.id, DAY_MS);
  return made;
}

/** Has the publisher of a channel do what is due now, and returns when it has nothing more to do. */
export async function publishNow(workspace: string, channel: string): Promise<void> {
  const { stub, lane } = await publisherOf(workspace, channel);
  await stub.arm(lane, Date.now());
  await runDurableObjectAlarm(stub);
  await atRest(stub);
}

/** Waits until a publisher has done what its alarm rang for. */
async function atRest(stub: Awaited<ReturnType<typeof publisherOf>>["stub"]): Promise<void> {
  await eventually(async () => expect(await isAtRest(stub)).toBe(true));
}

/** Hands the worker queue messages that say that a channel has work, all at once, and waits until it is done. */
export async function deliverMessage(workspace: string, channel: string, copies = 1): Promise<void> {
  const { stub, lane } = await publisherOf(workspace, channel);
  const messages = Array.from({ length: copies }, (_, i) => ({
    id: `message-${i}`,
    timestamp: new Date(),
    attempts: 1,
    body: { kind: "publish", workspace, lane: lane.lane },
  }));
  await Promise.all(
    messages.map((message) => worker.queue(createMessageBatch("crier", [message]), testEnv, createExecutionContext())),
  );
  await runDurableObjectAlarm(stub);
  await atRest(stub);
}

/** Has the sweeper look now. */
export async function sweepNow(): Promise<void> {
  const sweeper = testEnv.SWEEPER.getByName(SWEEPER);
  await sweeper.ensure();
  await runDurableObjectAlarm(sweeper);
}

/**
 * The post once it has finished; time passes for it, ten minutes at a time, for two hours at most. `work` has the channel's
 * publisher do what is due.
 */
export async function finishedInTime(
  workspace: string,
  key: string,
  id: string,
  work: (workspace: string, channel: string) => Promise<void> = publishNow,
): Promise<PostBody> {
  for (let i = 0; i < 12; i++) {
    const found = await getPost(key, id);
    if (FINISHED.includes(found.status)) return found;
    await age(id, 10 * MINUTE_MS);
    for (const { channel } of found.deliveries) await work(workspace, channel);
  }
  return getPost(key, id);
}
