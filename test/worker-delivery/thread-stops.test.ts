// Threads that stop or have an unknown outcome, and the posts that wait for them.
import { describe, expect, it } from "vitest";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { eventually } from "../support/eventually.ts";
import { brokenInvariants } from "../support/invariants.ts";
import { age } from "../support/lanes.ts";
import { DAY_MS, duePost, finishedInTime, publishNow } from "../support/machine.ts";
import {
  call,
  connect,
  endFaults,
  fault,
  finished,
  getPost,
  ledger,
  type PostBody,
  post,
  signUp,
} from "../support/world.ts";
import { expectInOrder, faultAt, REFUSALS, retry, statuses, THREAD, takeDown } from "./thread.ts";

describe("an unknown outcome of a thread part on x", () => {
  async function createUnknown() {
    const account = await signUp();
    const channel = await connect(account.key, "x");
    await faultAt("x", channel, 1, { do: "reset_before" });
    const thread = await duePost(account, channel, { text: "one", thread: THREAD });
    await publishNow(account.workspace, channel.id);
    const finishedPost = await finishedInTime(account.workspace, account.key, thread.id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown" });
    expect(statuses(finishedPost)).toEqual(["live", "failed", "pending"]);
    return { account, channel, id: thread.id };
  }

  it("stops the later parts, and a confirmed retry continues with the unknown part", async () => {
    const { account, channel, id } = await createUnknown();
    expect(await retry(account, id, channel)).toMatchObject({ status: 409 });
    await expectInOrder(channel, ["one"]);
    expect(await retry(account, id, channel, { confirm_not_published: true })).toMatchObject({ status: 200 });
    expect(statuses(await finished(account.key, id))).toEqual(["live", "live", "live"]);
    await expectInOrder(channel, ["one", "two", "three"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("stays stopped if the part is found later, and a retry continues with the next part", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "x");
    await faultAt("x", channel, 1, { do: "reset_after_accept" });
    const timeline = { platform: "x", account: channel.handle, call: "users/tweets", count: 20 };
    await fault({ ...timeline, do: "status", status: 500, body: {} });
    const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
    await publishNow(account.workspace, channel.id);
    const finishedPost = await finishedInTime(account.workspace, account.key, id);
    expect(finishedPost.deliveries[0]).toMatchObject({ status: "failed", error: "outcome_unknown" });
    await endFaults(channel.handle);
    await eventually(async () => expect((await check(account.key, id)).deliveries[0]?.error).toBe("thread_stopped"));
    const currentPost = await getPost(account.key, id);
    expect(currentPost.deliveries[0]).toMatchObject({ status: "failed", action: "finish_or_take_down" });
    expect(statuses(currentPost)).toEqual(["live", "live", "failed"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    expect(await retry(account, id, channel)).toMatchObject({ status: 200 });
    expect(statuses(await finished(account.key, id))).toEqual(["live", "live", "live"]);
    await expectInOrder(channel, ["one", "two", "three"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });
});

describe("a stopped thread", () => {
  /** A thread whose second part waits for its next try. */
  async function createWaiting() {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    const answer = { do: "status", status: 502, body: { error: "UpstreamFailure", message: "later" }, count: 5 };
    await faultAt("bluesky", channel, 1, { ...answer, status: 429, headers: { "retry-after": "60" } });
    const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
    await publishNow(account.workspace, channel.id);
    expect(statuses(await getPost(account.key, id))).toEqual(["live", "retrying", "pending"]);
    return { account, channel, id };
  }

  it("sends no more parts after a cancellation, reports it, and its live parts can be taken down", async () => {
    const { account, channel, id } = await createWaiting();
    const cancelled = await call<PostBody>("DELETE", `/v1/posts/${id}`, { token: account.key });
    expect(cancelled).toMatchObject({ status: 200 });
    await testEnv.DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
    await publishNow(account.workspace, channel.id);
    const stopped = await getPost(account.key, id);
    expect(stopped).toMatchObject({
      status: "partially_published",
      deliveries: [{ status: "failed", error: "thread_stopped", action: "finish_or_take_down" }],
    });
    await expectInOrder(channel, ["one"]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
    expect(await retry(account, id, channel)).toMatchObject({ status: 409 });
    expect(await takeDown(account, id, channel)).toMatchObject({ status: 200, body: { status: "removed" } });
    const down = await getPost(account.key, id);
    expect(statuses(down)).toEqual(["removed", "failed", "cancelled"]);
    expect((await ledger(channel.handle)).map(({ deleted }) => deleted)).toEqual([true]);
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });

  it("cannot be continued after its first part was taken down", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "bluesky");
    await faultAt("bluesky", channel, 2, { do: "status", ...REFUSALS.bluesky });
    const { id } = await post(account.key, { text: "one", channels: [channel.id], thread: THREAD });
    expect(statuses(await finished(account.key, id))).toEqual(["live", "live", "failed"]);
    const target = { platform: "bluesky", account: channel.handle, call: "com.atproto.repo.deleteRecord" };
    await fault({ ...target, skip: 1, do: "reset_before" });
    expect(await takeDown(account, id, channel)).toMatchObject({ status: 202, body: { takedown: "pending" } });
    expect(await retry(account, id, channel)).toMatchObject({ status: 409 });
    const { deliveries } = await check(account.key, id);
    expect(deliveries[0]).toMatchObject({ status: "removed", removed_by: "you" });
    expect(await brokenInvariants(account.workspace)).toEqual([]);
  });
});

it("publishes other posts of the channel only after the whole thread", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "bluesky");
  const thread = await duePost(account, channel, { text: "one", thread: THREAD });
  const later = await duePost(account, channel, { text: "after" });
  await age(thread.id, 1_000);
  await publishNow(account.workspace, channel.id);
  await finished(account.key, thread.id);
  await finished(account.key, later.id);
  expect((await ledger(channel.handle)).map(({ text }) => text)).toEqual(["one", "two", "three", "after"]);
});

it("stops a thread that was not sent within a day of its time", async () => {
  const account = await signUp();
  const channel = await connect(account.key, "bluesky");
  await faultAt("bluesky", channel, 1, { do: "status", status: 429, headers: { "retry-after": "60" }, body: {} });
  const { id } = await duePost(account, channel, { text: "one", thread: THREAD });
  await publishNow(account.workspace, channel.id);
  await age(id, DAY_MS + 60_000);
  await testEnv.DB.prepare("UPDATE channels SET not_before = NULL WHERE id = ?").bind(channel.id).run();
  await publishNow(account.workspace, channel.id);
  expect((await getPost(account.key, id)).deliveries[0]).toMatchObject({ status: "failed", error: "missed_deadline" });
  await expectInOrder(channel, ["one"]);
});
