// Proof that a middle part of a thread is out, from a session that stood still while another one ended or retried the delivery.
import { expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { duePost } from "../support/machine.ts";
import { networksVia, ownPublisher } from "../support/own-publisher.ts";
import { call, connect, getPost, signUp } from "../support/world.ts";
import { expectInOrder, retry, statuses, THREAD } from "./thread.ts";

/** Another session gives the delivery of a post up as unknown. */
const giveUpAsUnknown = (id: string) =>
  testEnv.DB.batch(
    [
      `UPDATE deliveries SET state = 'outcome_unknown', error = 'outcome_unknown', has_open_send = 1, next_at = NULL,
        version = version + 1, fencing_token = fencing_token + 1, session = 'another' WHERE post_id = ?`,
      `INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
        SELECT workspace_id, 1000, 'evt_' || id, 'delivery.failed', post_id, channel_id, fencing_token, '{}', 0 FROM deliveries WHERE post_id = ?`,
      "UPDATE posts SET status = 'partially_published', finished_at = 1 WHERE id = ?",
    ].map((sql) => testEnv.DB.prepare(sql).bind(id)),
  );

/** A thread whose session stands still after its second part is out, until `meanwhile` has happened. */
async function standStill(meanwhile: (post: Awaited<ReturnType<typeof dueThread>>) => Promise<unknown>) {
  const made = await dueThread();
  const { account, channel, id } = made;
  let published = 0;
  const world = networksVia(async (url, act, init) => {
    const answer = await act();
    if (init?.method === "POST" && url.endsWith("/2/tweets") && ++published === 2) await meanwhile(made);
    return answer;
  });
  await (await ownPublisher(account.workspace, channel.id, { world })).work();
  return { ...made, read: () => getPost(account.key, id) };
}

async function dueThread() {
  const account = await signUp();
  const channel = await connect(account.key, "x");
  const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
  return { account, channel, id };
}

it("is taken as found when the delivery has ended as unknown: nothing more is sent, and a retry goes on behind it", async () => {
  const { account, channel, id, read } = await standStill(({ id }) => giveUpAsUnknown(id));
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

it("is taken when its owner has just retried the delivery: the part is not sent again", async () => {
  const { account, channel, read } = await standStill(async ({ account, channel, id }) => {
    await giveUpAsUnknown(id);
    expect(await retry(account, id, channel, { confirm_not_published: true })).toMatchObject({ status: 200 });
  });
  await (await ownPublisher(account.workspace, channel.id)).work();
  expect(statuses(await read())).toEqual(["live", "live", "live"]);
  await expectInOrder(channel, ["one", "two", "three"]);
  expect(await brokenInvariants(account.workspace)).toEqual([]);
});
