// What callers do with posts and their deliveries once these are there: cancel, discard, retry, take down.
import { describe, expect, it } from "vitest";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const ENDED = { nextAt: null } as const;
const FAILED = { state: "failed", error: "content_refused", ...ENDED } as const;
const LIVE = { state: "live", netPostId: "5/1", publishedAt: NOW, ...ENDED } as const;

describe("a post that is cancelled", () => {
  it("is sent nowhere and cannot be cancelled again", async () => {
    const { call, createOne, readDeliveries } = await workspaceOfTwo();
    const id = await createOne();
    const { status, body } = await call("posts.remove", { id });
    expect([status, body.status]).toEqual([200, "cancelled"]);
    expect(await readDeliveries()).toMatchObject([{ state: "cancelled" }, { state: "cancelled" }]);
    const again = await refusal(call("posts.remove", { id }));
    expect([again.status, again.code, again.message]).toEqual([409, "post_finished", "The post is cancelled."]);
  });

  it("as a draft is deleted", async () => {
    const { call, createOne, readPosts } = await workspaceOfTwo();
    const id = await createOne({ draft: true });
    expect(await call("posts.remove", { id, scopes: ["draft"] })).toMatchObject({ status: 204 });
    expect(await readPosts()).toEqual([]);
    expect(await refusal(call("posts.remove", { id }))).toMatchObject({ status: 404 });
  });

  it("needs the right to publish unless it is a draft", async () => {
    const { call, createOne, readDeliveries } = await workspaceOfTwo();
    const id = await createOne();
    expect(await refusal(call("posts.remove", { id, scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect(await readDeliveries()).toMatchObject([{ state: "pending" }, { state: "pending" }]);
  });

  it("is not cancelled if its revision differs from the caller's", async () => {
    const { call, createOne, readPosts } = await workspaceOfTwo();
    const id = await createOne();
    const changed = await refusal(call("posts.remove", { id, ifMatch: '"7"' }));
    expect([changed.status, changed.code]).toEqual([412, "post_changed"]);
    expect(changed.detail.extra).toMatchObject({ current: { id } });
    expect(await readPosts()).toMatchObject([{ status: "scheduled" }]);
    expect(await call("posts.remove", { id, ifMatch: '"1"' })).toMatchObject({ status: 200 });
  });

  it("cannot be cancelled whole once all of it is being sent", async () => {
    const { call, createOne, changeDelivery, first, second } = await workspaceOfTwo();
    const id = await createOne();
    for (const channel of [first, second])
      await changeDelivery(channel, { state: "sending", sentAt: NOW, startedAt: NOW });
    expect(await refusal(call("posts.remove", { id }))).toMatchObject({ status: 409, code: "post_not_cancellable" });
  });

  it("is not found by a key that does not reach its channels", async () => {
    const { call, createOne, first } = await workspaceOfTwo();
    const id = await createOne();
    expect(await refusal(call("posts.remove", { id, reach: [first] }))).toMatchObject({ status: 404 });
  });
});

describe("a delivery that is retried", () => {
  it("is due immediately and wakes only its publisher", async () => {
    const { call, createOne, changeDelivery, readDeliveries, armed, second } = await workspaceOfTwo();
    const id = await createOne();
    await changeDelivery(second, FAILED);
    armed.length = 0;
    const { status, body } = await call("posts.retry-delivery", { id, channel: second, body: {} });
    expect([status, body.status]).toEqual([200, "retrying"]);
    expect(await readDeliveries()).toMatchObject([{ state: "pending" }, { state: "retry_wait", nextAt: NOW }]);
    expect(armed).toEqual([{ lane: 1, at: NOW }]);
  });

  it("of an unknown outcome needs the owner's confirmation", async () => {
    const { call, createOne, changeDelivery, readDeliveries, second } = await workspaceOfTwo();
    const id = await createOne();
    await changeDelivery(second, { ...FAILED, state: "outcome_unknown", hasOpenSend: true });
    const unconfirmed = await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([unconfirmed.code, unconfirmed.detail.field]).toEqual(["delivery_not_retryable", "/confirm_not_published"]);
    await call("posts.retry-delivery", { id, channel: second, body: { confirm_not_published: true } });
    expect((await readDeliveries())[1]).toMatchObject({ state: "retry_wait" });
  });

  it("is refused if it has not failed or its channel is gone", async () => {
    const { call, createOne, changeDelivery, changeChannel, second, armed } = await workspaceOfTwo();
    const id = await createOne();
    armed.length = 0;
    const early = await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([early.code, early.message]).toEqual(["delivery_not_retryable", "The delivery is pending."]);
    await changeDelivery(second, FAILED);
    await changeChannel(second, { tokenExpiresAt: NOW });
    expect(await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }))).toMatchObject({
      code: "channel_needs_reconnect",
    });
    await call("channels.disconnect", { id: second });
    const gone = await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([gone.code, gone.message]).toEqual(["channel_not_connected", "The channel was disconnected."]);
    expect(armed).toEqual([]);
  });

  it("is not found on another channel, or by a key that does not reach it", async () => {
    const { call, createOne, changeDelivery, first, second } = await workspaceOfTwo();
    const id = await createOne({ channels: [first] });
    await changeDelivery(first, FAILED);
    expect(await refusal(call("posts.retry-delivery", { id, channel: second, body: {} }))).toMatchObject({
      status: 404,
      message: "Not found: no delivery with this id in this workspace.",
    });
    expect(
      await refusal(call("posts.retry-delivery", { id, channel: first, body: {}, reach: [second] })),
    ).toMatchObject({ status: 404 });
  });
});

describe("a delivery that is taken down", () => {
  const takeDown = (workspace: Awaited<ReturnType<typeof workspaceOfTwo>>, id: string) =>
    workspace.call("posts.take-down", { id, channel: workspace.second });

  it("is requested from the network by its publisher and is pending until the result is known", async () => {
    const workspace = await workspaceOfTwo();
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    const { status, body } = await takeDown(workspace, id);
    expect([status, body.takedown]).toEqual([202, "pending"]);
    const task = { kind: "verify", channel: workspace.second, posts: [id] };
    expect(workspace.followed).toEqual([[workspace.workspaceId, 1, task]]);
    expect((await takeDown(workspace, id)).status).toBe(202);
    expect(workspace.followed).toHaveLength(1);
  });

  it("is answered as soon as the network has responded", async () => {
    const pauses: number[] = [];
    const workspace = await workspaceOfTwo({
      outside: {
        pause: async (ms) => {
          pauses.push(ms);
          if (pauses.length < 2) return;
          await workspace.changeDelivery(workspace.second, { state: "removed" });
          await workspace.changeTakedown(workspace.second, { state: "done" });
        },
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    expect(await takeDown(workspace, id)).toMatchObject({ status: 200, body: { status: "removed" } });
    expect(pauses).toEqual([50, 100]);
    expect(await takeDown(workspace, id)).toMatchObject({ status: 200 });
  });

  it("stops waiting for a network that gave no clear answer", async () => {
    const pauses: number[] = [];
    const workspace = await workspaceOfTwo({
      outside: {
        pause: async (ms) => {
          pauses.push(ms);
          await workspace.changeTakedown(workspace.second, { tries: 1 });
        },
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    expect((await takeDown(workspace, id)).status).toBe(202);
    expect(pauses).toEqual([50]);
  });

  it("is refused with the network's reason", async () => {
    const workspace = await workspaceOfTwo({
      outside: {
        pause: async () =>
          workspace.changeTakedown(workspace.second, { state: "failed", detail: "it was not taken down: too late" }),
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    const refused = await refusal(takeDown(workspace, id));
    expect([refused.code, refused.message]).toEqual(["takedown_refused", "It was not taken down: too late"]);
  });

  it("is refused while it is not live, and where its network offers no take-down", async () => {
    const workspace = await workspaceOfTwo();
    const id = await workspace.createOne();
    const early = await refusal(takeDown(workspace, id));
    expect([early.code, early.message]).toEqual(["delivery_not_live", "The delivery is pending."]);
    await workspace.changeDelivery(workspace.second, { ...LIVE, platform: "tiktok" });
    expect(await refusal(takeDown(workspace, id))).toMatchObject({ code: "takedown_not_offered" });
    await workspace.changeDelivery(workspace.second, { ...LIVE, platform: "myspace" });
    expect(await refusal(takeDown(workspace, id))).toMatchObject({ code: "takedown_not_offered" });
    expect(workspace.followed).toEqual([]);
  });
});

describe("a post that waits for approval", () => {
  const waiting = async () => {
    const workspace = await workspaceOfTwo({ workspace: { approval: "authors" } });
    const { body } = await workspace.create({}, { scopes: ["draft"] });
    return { ...workspace, id: String(body.id), tag: body.content_tag };
  };

  it("is scheduled as it stands when it is approved, and wakes the publishers of all its lanes", async () => {
    const { call, id, tag, readDeliveries, armed } = await waiting();
    const { body } = await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(body).toMatchObject({ status: "queued", approval: { state: "approved", by: "key_1", rev: 1 } });
    expect(await readDeliveries()).toMatchObject([{ state: "pending", nextAt: NOW }, { state: "pending" }]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
    const again = await refusal(call("posts.approve", { id, body: { rev: body.rev, content_tag: tag } }));
    expect(again.code).toBe("post_not_waiting");
  });

  it("is not approved at another revision, or with another content", async () => {
    const { call, id, tag, readPosts, armed } = await waiting();
    const revised = await refusal(call("posts.approve", { id, body: { rev: 7, content_tag: tag } }));
    expect([revised.code, revised.detail.field]).toEqual(["post_changed", "/rev"]);
    const other = await refusal(call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }));
    expect([other.code, other.detail.field]).toEqual(["post_changed", "/content_tag"]);
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
    expect(armed).toEqual([]);
  });

  it("is a draft again when it is declined, with the reason", async () => {
    const { call, id, readPosts, armed } = await waiting();
    const { body } = await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect(body).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "key_1", reason: "too long", rev: 1 },
    });
    expect(await readPosts()).toMatchObject([{ status: "draft" }]);
    expect(armed).toEqual([]);
  });

  it("is cancelled by its writer, who may not publish", async () => {
    const { call, id, readPosts } = await waiting();
    expect(await call("posts.remove", { id, scopes: ["draft"] })).toMatchObject({ status: 200 });
    expect(await readPosts()).toMatchObject([{ status: "cancelled" }]);
  });
});
