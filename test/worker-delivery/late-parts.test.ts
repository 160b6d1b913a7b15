// Late proof that a middle part of a thread is live: its session was suspended while another session ended or retried the
// delivery.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { duePost } from "../support/machine.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { call, connect, getPost, signUp } from "../support/world.ts";
import { expectInOrder, retry, statuses, THREAD } from "./thread.ts";

/** Lets another session mark a post's delivery as unknown. */
const giveUpAsUnknown = (id: string) =>
  testEnv.DB.batch(
    [
      `UPDATE deliveries SET state = 'outcome_unknown', last_try = json_object('error', 'outcome_unknown'), has_open_send = 1, next_at = NULL,
        version = version + 1, fencing_token = fencing_token + 1, session = 'another' WHERE post_id = ?`,
      `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
        SELECT workspace_id, 1000, 'evt_' || id, 'delivery.failed', post_id, channel_id, fencing_token, '{}', 0 FROM deliveries WHERE post_id = ?`,
      "UPDATE posts SET status = 'partially_published', finished_at = 1 WHERE id = ?",
    ].map((sql) => testEnv.DB.prepare(sql).bind(id)),
  );

/** Publishes a thread, and suspends its session after the second part is live until `meanwhile` has finished. */
async function suspendAfterSecondChunk(
  meanwhile: (post: Awaited<ReturnType<typeof createDueThread>>) => Promise<unknown>,
) {
  const thread = await createDueThread();
  const { account, channel, id } = thread;
  let published = 0;
  const world = networksVia(async (url, act, init) => {
    const answer = await act();
    if (init?.method === "POST" && url.endsWith("/2/tweets") && ++published === 2) await meanwhile(thread);
    return answer;
  });
  await (await ownPublisher(account.workspace, channel.id, { world })).work();
  return { ...thread, read: () => getPost(account.key, id) };
}

async function createDueThread() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
  return { account, channel, id };
}

it("stops the thread after late proof if the delivery has ended as unknown, and a retry continues after the proven part", async () => {
  const { account, channel, id, read } = await suspendAfterSecondChunk(({ id }) => giveUpAsUnknown(id));
  const post = await read();
  expect(post.deliveries[0]).toMatchObject({ status: "failed", error: "thread_stopped" });
  expect(statuses(post)).toEqual(["live", "live", "failed"]);
  await expectInOrder(channel, ["one", "two"]);
  const { body } = await call<{ events: { event: string; error: string }[] }>("GET", `/v1/events?post=${id}`, {
    token: account.key,
  });
  expect(body.events).toMatchObject([
    { event: "delivery.failed", error: "thread_stopped" },
    { event: "delivery.failed" },
  ]);
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});

it("accepts late proof after its owner has retried the delivery, and does not send the part again", async () => {
  const { account, channel, read } = await suspendAfterSecondChunk(async ({ account, channel, id }) => {
    await giveUpAsUnknown(id);
    expect(await retry(account, id, channel, { confirm_not_published: true })).toMatchObject({ status: 200 });
  });
  await (await ownPublisher(account.workspace, channel.id)).work();
  expect(statuses(await read())).toEqual(["live", "live", "live"]);
  await expectInOrder(channel, ["one", "two", "three"]);
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});
