// Calls that cancel, discard, retry and take down posts and deliveries.
import { describe, expect, it } from "vitest";
import { posts } from "../../../../src/store/db/schema.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const ENDED = { nextAt: null } as const;
const FAILED = { state: "failed", error: "content_refused", ...ENDED } as const;
const LIVE = {
  state: "live",
  networkPost: { id: "5/1", url: null, urlState: "none" },
  publishedAt: NOW,
  ...ENDED,
} as const;

describe("a post that is cancelled", () => {
  it("a cancelled post is not sent and cannot be cancelled again", async () => {
    const { call, createOne, readDeliveries } = await setUpWorkspace();
    const id = await createOne();
    const { status, body } = await call("posts.remove", { id });
    expect([status, body.status]).toEqual([200, "cancelled"]);
    expect(await readDeliveries()).toMatchObject([{ state: "cancelled" }, { state: "cancelled" }]);
    const again = await catchRefusal(call("posts.remove", { id }));
    expect([again.status, again.code, again.message]).toEqual([409, "post_finished", "The post is cancelled."]);
  });

  it("a draft that is cancelled is deleted", async () => {
    const { call, createOne, readPosts } = await setUpWorkspace();
    const id = await createOne({ draft: true });
    expect(await call("posts.remove", { id, scopes: ["draft"] })).toMatchObject({ status: 204 });
    expect(await readPosts()).toEqual([]);
    expect(await catchRefusal(call("posts.remove", { id }))).toMatchObject({ status: 404 });
  });

  it("cancelling a post needs the scope publish unless it is a draft", async () => {
    const { call, createOne, readDeliveries } = await setUpWorkspace();
    const id = await createOne();
    expect(await catchRefusal(call("posts.remove", { id, scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect(await readDeliveries()).toMatchObject([{ state: "pending" }, { state: "pending" }]);
  });

  it("a post is not cancelled if its revision differs from the caller's", async () => {
    const { call, createOne, readPosts } = await setUpWorkspace();
    const id = await createOne();
    const changed = await catchRefusal(call("posts.remove", { id, ifMatch: '"7"' }));
    expect([changed.status, changed.code]).toEqual([412, "post_changed"]);
    expect(changed.detail.extra).toMatchObject({ current: { id } });
    expect(await readPosts()).toMatchObject([{ status: "scheduled" }]);
    expect(await call("posts.remove", { id, ifMatch: '"1"' })).toMatchObject({ status: 200 });
  });

  it("a post cannot be cancelled once all its deliveries are being sent", async () => {
    const { call, createOne, changeDelivery, first, second } = await setUpWorkspace();
    const id = await createOne();
    for (const channel of [first, second]) await changeDelivery(channel, { state: "sending", startedAt: NOW });
    expect(await catchRefusal(call("posts.remove", { id }))).toMatchObject({
      status: 409,
      code: "post_not_cancellable",
    });
  });

  it("cancelling does not find a post of channels that the key may not use", async () => {
    const { call, createOne, first } = await setUpWorkspace();
    const id = await createOne();
    expect(await catchRefusal(call("posts.remove", { id, reach: [first] }))).toMatchObject({ status: 404 });
  });
});

describe("a delivery that is retried", () => {
  it("a retried delivery is due immediately and wakes only its publisher", async () => {
    const { call, createOne, changeDelivery, readDeliveries, armed, second } = await setUpWorkspace();
    const id = await createOne();
    await changeDelivery(second, FAILED);
    armed.length = 0;
    const { status, body } = await call("posts.retry-delivery", { id, channel: second, body: {} });
    expect([status, body.status]).toEqual([200, "retrying"]);
    expect(await readDeliveries()).toMatchObject([{ state: "pending" }, { state: "retry_wait", nextAt: NOW }]);
    expect(armed).toEqual([{ lane: 1, at: NOW }]);
  });

  it("a retry of a delivery with an unknown outcome needs the owner's confirmation", async () => {
    const { call, createOne, changeDelivery, readDeliveries, second } = await setUpWorkspace();
    const id = await createOne();
    await changeDelivery(second, { ...FAILED, state: "outcome_unknown", hasOpenSend: true });
    const unconfirmed = await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([unconfirmed.code, unconfirmed.detail.field]).toEqual(["delivery_not_retryable", "/confirm_not_published"]);
    await call("posts.retry-delivery", { id, channel: second, body: { confirm_not_published: true } });
    expect((await readDeliveries())[1]).toMatchObject({ state: "retry_wait" });
  });

  it("a retry is refused if the delivery has not failed or its channel is no longer connected", async () => {
    const { call, createOne, changeDelivery, changeChannel, second, armed } = await setUpWorkspace();
    const id = await createOne();
    armed.length = 0;
    const early = await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([early.code, early.message]).toEqual(["delivery_not_retryable", "The delivery is pending."]);
    await changeDelivery(second, FAILED);
    await changeChannel(second, { tokenExpiresAt: NOW });
    expect(await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }))).toMatchObject({
      code: "channel_needs_reconnect",
    });
    await call("channels.disconnect", { id: second });
    const disconnected = await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }));
    expect([disconnected.code, disconnected.message]).toEqual([
      "channel_not_connected",
      "The channel was disconnected.",
    ]);
    expect(armed).toEqual([]);
  });

  it("a retry does not find a delivery on another channel, or on a channel that the key may not use", async () => {
    const { call, createOne, changeDelivery, first, second } = await setUpWorkspace();
    const id = await createOne({ channels: [first] });
    await changeDelivery(first, FAILED);
    expect(await catchRefusal(call("posts.retry-delivery", { id, channel: second, body: {} }))).toMatchObject({
      status: 404,
      message: "Not found: no delivery with this id in this workspace.",
    });
    expect(
      await catchRefusal(call("posts.retry-delivery", { id, channel: first, body: {}, reach: [second] })),
    ).toMatchObject({ status: 404 });
  });
});

describe("a delivery that is taken down", () => {
  const takeDown = (workspace: Awaited<ReturnType<typeof setUpWorkspace>>, id: string) =>
    workspace.call("posts.take-down", { id, channel: workspace.second });

  it("a takedown is carried out by the publisher and is pending until the result is known", async () => {
    const workspace = await setUpWorkspace();
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    const { status, body } = await takeDown(workspace, id);
    expect([status, body.takedown]).toEqual([202, "pending"]);
    const task = { kind: "after_publish", channel: workspace.second, posts: [id] };
    expect(workspace.followed).toEqual([[workspace.workspaceId, 1, task]]);
    expect((await takeDown(workspace, id)).status).toBe(202);
    expect(workspace.followed).toHaveLength(1);
  });

  it("a takedown is answered as soon as the network has responded", async () => {
    const pauses: number[] = [];
    const workspace = await setUpWorkspace({
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

  it("a takedown stops waiting if the network gives no clear answer", async () => {
    const pauses: number[] = [];
    const workspace = await setUpWorkspace({
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

  it("a takedown that the network refuses is refused with the network's reason", async () => {
    const workspace = await setUpWorkspace({
      outside: {
        pause: async () =>
          workspace.changeTakedown(workspace.second, { state: "failed", detail: "it was not taken down: too late" }),
      },
    });
    const id = await workspace.createOne();
    await workspace.changeDelivery(workspace.second, LIVE);
    const refused = await catchRefusal(takeDown(workspace, id));
    expect([refused.code, refused.message]).toEqual(["takedown_refused", "It was not taken down: too late"]);
  });

  it("a takedown is refused while the delivery is not live, and on networks without takedowns", async () => {
    const workspace = await setUpWorkspace();
    const id = await workspace.createOne();
    const early = await catchRefusal(takeDown(workspace, id));
    expect([early.code, early.message]).toEqual(["delivery_not_live", "The delivery is pending."]);
    await workspace.changeDelivery(workspace.second, { ...LIVE, platform: "tiktok" });
    expect(await catchRefusal(takeDown(workspace, id))).toMatchObject({ code: "takedown_not_offered" });
    await workspace.changeDelivery(workspace.second, { ...LIVE, platform: "myspace" });
    expect(await catchRefusal(takeDown(workspace, id))).toMatchObject({ code: "takedown_not_offered" });
    expect(workspace.followed).toEqual([]);
  });
});

describe("a post that waits for approval", () => {
  const createWaitingPost = async () => {
    const workspace = await setUpWorkspace({ workspace: { approval: "authors" } });
    const { body } = await workspace.create({}, { scopes: ["draft"] });
    return { ...workspace, id: String(body.id), tag: body.content_tag };
  };

  it("an approved post is scheduled unchanged, and wakes the publishers of all its lanes", async () => {
    const { call, id, tag, readDeliveries, armed } = await createWaitingPost();
    const { body } = await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(body).toMatchObject({ status: "queued", approval: { state: "approved", by: "key_1", rev: 1 } });
    expect(await readDeliveries()).toMatchObject([{ state: "pending", nextAt: NOW }, { state: "pending" }]);
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
    const again = await catchRefusal(call("posts.approve", { id, body: { rev: body.rev, content_tag: tag } }));
    expect(again.code).toBe("post_not_waiting");
  });

  it("a post is not approved at another revision, or with another content", async () => {
    const { call, id, tag, readPosts, armed } = await createWaitingPost();
    const revised = await catchRefusal(call("posts.approve", { id, body: { rev: 7, content_tag: tag } }));
    expect([revised.code, revised.detail.field]).toEqual(["post_changed", "/rev"]);
    const otherContent = await catchRefusal(
      call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }),
    );
    expect([otherContent.code, otherContent.detail.field]).toEqual(["post_changed", "/content_tag"]);
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
    expect(armed).toEqual([]);
  });

  it("a declined post becomes a draft again, with the reason", async () => {
    const { call, id, readPosts, armed } = await createWaitingPost();
    const { body } = await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect(body).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "key_1", reason: "too long", rev: 1 },
    });
    expect(await readPosts()).toMatchObject([{ status: "draft" }]);
    expect(armed).toEqual([]);
  });

  it("a waiting post can be cancelled with the scope draft alone", async () => {
    const { call, id, readPosts } = await createWaitingPost();
    expect(await call("posts.remove", { id, scopes: ["draft"] })).toMatchObject({ status: 200 });
    expect(await readPosts()).toMatchObject([{ status: "cancelled" }]);
  });
});

describe("a live text that is edited", () => {
  it("is not edited by one person if another one had to approve it", async () => {
    const { ctx, workspaceId, call, createOne, changeDelivery, first } = await setUpWorkspace({
      workspace: { fourEyes: true },
    });
    const id = await createOne({ channels: [first] });
    await changeDelivery(first, LIVE);
    const edit = () => call("posts.edit-live-text", { id, channel: first, body: { text: "edited" } });
    const approval = { state: "approved", by: "Ada", reason: null, at: NOW, rev: 1 } as const;
    await ctx.databaseOf(workspaceId).update(posts).set({ approval });
    expect(await catchRefusal(edit())).toMatchObject({ status: 403, code: "four_eyes" });
    await ctx.databaseOf(workspaceId).update(posts).set({ approval: null });
    expect(await edit()).toMatchObject({ status: 202, body: { edit: { status: "pending", text: "edited" } } });
  });
});
