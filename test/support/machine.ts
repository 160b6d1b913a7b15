// Starts a publisher at the moment that a test chooses: by its alarm, a queue message or the sweeper.

import { createExecutionContext, createMessageBatch, runDurableObjectAlarm } from "cloudflare:test";
import { expect } from "vitest";
import { SWEEPER } from "../../src/env.ts";
import worker from "../../src/index.ts";
import { tomorrow } from "./dates.ts";
import { testEnv } from "./env.ts";
import { eventually } from "./eventually.ts";
import { age, getPublisher, isAtRest } from "./lanes.ts";
import { type Account, type ChannelBody, FINISHED, getPost, type PostBody, post } from "./world.ts";

export const DAY_MS = 86_400_000;
export const MINUTE_MS = 60_000;

/** Creates a post for one channel that is due and that no publisher has started yet. */
export async function duePost(account: Account, channel: ChannelBody, body: object = {}): Promise<PostBody> {
  const duePost = await post(account.key, { text: "once", channels: [channel.id], publish_at: tomorrow(), ...body });
  await age(duePost.id, DAY_MS);
  return duePost;
}

/** Lets the publisher of a channel do its due work, and waits until it has finished. */
export async function publishNow(workspace: string, channel: string): Promise<void> {
  const { stub, lane } = await getPublisher(workspace, channel);
  await stub.arm(lane, Date.now());
  await runDurableObjectAlarm(stub);
  await atRest(stub);
}

/** Waits until a publisher has finished the work of its last alarm. */
async function atRest(stub: Awaited<ReturnType<typeof getPublisher>>["stub"]): Promise<void> {
  await eventually(async () => expect(await isAtRest(stub)).toBe(true));
}

/** Delivers copies of the queue message that a channel has work, all at once, and waits until the work is done. */
export async function deliverMessage(workspace: string, channel: string, copies = 1): Promise<void> {
  const { stub, lane } = await getPublisher(workspace, channel);
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

/** Runs the sweeper now. */
export async function sweepNow(): Promise<void> {
  const sweeper = testEnv.SWEEPER.getByName(SWEEPER);
  await sweeper.ensure();
  await runDurableObjectAlarm(sweeper);
}

/**
 * Returns the post when it has finished. It makes the post older in steps of ten minutes, for two hours at most. `work` lets the
 * channel's publisher do its due work.
 */
export async function finishedInTime(
  workspace: string,
  key: string,
  id: string,
  work: (workspace: string, channel: string) => Promise<void> = publishNow,
): Promise<PostBody> {
  for (let i = 0; i < 12; i++) {
    const current = await getPost(key, id);
    if (FINISHED.includes(current.status)) return current;
    await age(id, 10 * MINUTE_MS);
    for (const { channel } of current.deliveries) await work(workspace, channel);
  }
  return getPost(key, id);
}
