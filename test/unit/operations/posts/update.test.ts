// Edits of posts.
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpPost } from "./created-post.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const ON_X = { channel: { platform: "x" } };
const toIso = (ms: number) => new Date(ms).toISOString();
const LATER = toIso(NOW + HOUR_MS);

describe("an edit", () => {
  it("an edit changes only the fields that it names, and increments the revision", async () => {
    const { edit, readPosts, readDeliveries, armed } = await setUpPost(
      {
        publish_at: LATER,
        labels: ["x"],
        metadata: { a: "1" },
        thread: [{ text: "more" }],
      },
      ON_X,
    );
    const before = await readDeliveries();
    const { status, body } = await edit({ text: "better" });
    expect([status, body.text, body.rev, body.status]).toEqual([200, "better", 2, "scheduled"]);
    expect(await readPosts()).toMatchObject([
      {
        text: "better",
        labels: ["x"],
        metadata: { a: "1" },
        thread: [{ text: "more", media: [] }],
        publishAt: NOW + HOUR_MS,
        dueAt: NOW + HOUR_MS,
        revision: 2,
        approval: null,
      },
    ]);
    expect((await readDeliveries()).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW + HOUR_MS })));
  });

  it("an empty edit returns the unchanged post with its revision", async () => {
    const { edit, armed } = await setUpPost();
    expect((await edit({})).body).toMatchObject({ rev: 1, text: "hello" });
    expect(armed).toEqual([]);
  });

  it("an edit replaces labels, metadata, thread and overrides completely", async () => {
    const { edit, readPosts, first } = await setUpPost(
      {
        labels: ["x"],
        metadata: { a: "1" },
        thread: [{ text: "more" }],
      },
      ON_X,
    );
    await edit({ labels: ["y"], metadata: { b: "2" }, thread: null, overrides: { [first]: { text: "mine" } } });
    expect(await readPosts()).toMatchObject([
      { labels: ["y"], metadata: { b: "2" }, thread: null, overrides: { [first]: { text: "mine" } } },
    ]);
  });

  it("an edit of the channels keeps the deliveries of the remaining channels", async () => {
    const { edit, readDeliveries, first, second, armed } = await setUpPost({ publish_at: LATER });
    const [, keptDelivery] = await readDeliveries();
    await edit({ channels: [second] });
    expect(await readDeliveries()).toMatchObject([{ id: keptDelivery?.id, channelId: second, state: "pending" }]);
    expect(armed).toEqual([{ lane: 1, at: NOW + HOUR_MS }]);
    await edit({ channels: [second, first] });
    expect(await readDeliveries()).toMatchObject([
      { id: keptDelivery?.id },
      { channelId: first, nextAt: NOW + HOUR_MS },
    ]);
  });

  it("an edit of the time moves the post and its deliveries, and removing the time makes them due now", async () => {
    const { edit, readPosts, readDeliveries, armed } = await setUpPost({ publish_at: LATER });
    await edit({ publish_at: toIso(NOW + 2 * HOUR_MS) });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + 2 * HOUR_MS, dueAt: NOW + 2 * HOUR_MS }]);
    expect(await readDeliveries()).toMatchObject([{ nextAt: NOW + 2 * HOUR_MS }, { nextAt: NOW + 2 * HOUR_MS }]);
    await edit({ publish_at: null });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
    expect(armed.slice(-2)).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
  });

  it("an edit of a post without a time keeps its due time", async () => {
    const { edit, readPosts, ctx } = await setUpPost();
    const earlier = await readPosts();
    ctx.now = () => NOW + 5_000;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: earlier[0]?.dueAt, text: "better" }]);
  });

  it("the edited post is checked completely, except for a time that was accepted before", async () => {
    const { edit, ctx } = await setUpPost({ publish_at: LATER });
    const long = await catchRefusal(edit({ text: "x".repeat(5_000) }));
    expect([long.status, long.code]).toEqual([422, "text_too_long"]);
    ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await edit({ text: "better" })).status).toBe(200);
    expect((await catchRefusal(edit({ publish_at: LATER }))).code).toBe("publish_at_in_past");
  });

  it("an edit can set the type of a post only once", async () => {
    const { edit, id } = await setUpPost({ draft: true, channels: [] });
    expect((await edit({ post_type: "story" })).body).toMatchObject({ id, post_type: "story" });
    expect((await edit({ post_type: "story", text: "better" })).status).toBe(200);
    const fixed = await catchRefusal(edit({ post_type: "reel" }));
    expect([fixed.code, fixed.detail.field]).toEqual(["post_type_fixed", "/post_type"]);
    expect(fixed.message).toBe("The post is a story, which cannot be changed.");
  });

  it("the editor becomes the author of the post", async () => {
    const { edit, join, readPosts } = await setUpPost();
    const publisher = await join("publisher");
    await edit({ text: "better" }, { as: publisher });
    expect(await readPosts()).toMatchObject([
      { author: { kind: "person", id: publisher.userId }, authorUserId: publisher.userId },
    ]);
  });

  it("an edit is refused if the caller names another revision", async () => {
    const { edit, readPosts } = await setUpPost();
    const changed = await catchRefusal(edit({ text: "better" }, { ifMatch: '"7"' }));
    expect([changed.status, changed.code, changed.detail.field]).toEqual([412, "post_changed", "If-Match"]);
    expect(changed.message).toBe("The post has another revision than `If-Match` names.");
    expect(changed.detail.headers).toEqual({ ETag: '"1"' });
    expect((await edit({ text: "better" }, { ifMatch: '"1"' })).status).toBe(200);
    expect(await readPosts()).toMatchObject([{ text: "better", revision: 2 }]);
  });

  it("an edit does not find a missing post, or one of channels that the key may not use", async () => {
    const { edit, first, call } = await setUpPost();
    expect(await catchRefusal(edit({ text: "x" }, { reach: [first] }))).toMatchObject({ status: 404 });
    const missing = call("posts.update", { id: "post_01HZX0000000000000000000AB", body: { text: "x" } });
    expect(await catchRefusal(missing)).toMatchObject({ status: 404 });
  });
});

describe("a post that can no longer be edited", () => {
  it.each([
    ["a delivery has started", { startedAt: NOW }],
    ["a delivery has failed", { state: "failed", error: "content_refused", nextAt: null }],
  ] as const)("a post cannot be edited once %s", async (_reason, columns) => {
    const { edit, changeDelivery, second, readPosts } = await setUpPost({ publish_at: LATER });
    await changeDelivery(second, columns);
    expect(await catchRefusal(edit({ text: "better" }))).toMatchObject({ status: 409, code: "post_not_editable" });
    expect(await readPosts()).toMatchObject([{ text: "hello", revision: 1 }]);
  });

  it("a cancelled post cannot be edited", async () => {
    const { edit, call, id } = await setUpPost({ publish_at: LATER });
    await call("posts.remove", { id });
    const cancelled = await catchRefusal(edit({ text: "better" }));
    expect([cancelled.code, cancelled.message]).toEqual(["post_not_editable", "The post is cancelled."]);
  });
});

describe("a draft", () => {
  it("editing a draft needs the scope draft, keeps it a draft, and wakes no publishers", async () => {
    const { edit, readPosts, readDeliveries, armed } = await setUpPost({ draft: true, publish_at: LATER });
    expect((await edit({ text: "better" }, { scopes: ["draft"] })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ dueAt: null, publishAt: NOW + HOUR_MS, countedMonth: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
    expect(await catchRefusal(edit({ text: "x" }, { scopes: ["publish"] }))).toMatchObject({ status: 403 });
  });

  it("releasing a draft schedules it at its time with deliveries, and counts it in the month", async () => {
    const { edit, readPosts, readDeliveries, armed } = await setUpPost({ draft: true, publish_at: LATER });
    expect(await catchRefusal(edit({ draft: false }, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect((await edit({ draft: false })).body).toMatchObject({ status: "scheduled", publish_at: LATER });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, draftBytes: 0 }]);
    expect((await readPosts())[0]?.countedMonth).not.toBeNull();
    expect(await readDeliveries()).toHaveLength(2);
    expect(armed).toHaveLength(2);
  });

  it("a draft without a time is due when it is released, and a draft whose time has passed is not released", async () => {
    const { edit, readPosts, ctx } = await setUpPost({ draft: true });
    ctx.now = () => NOW + 5_000;
    await edit({ draft: false });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + 5_000 }]);
    const late = await setUpPost({ draft: true, publish_at: LATER });
    late.ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await late.edit({ text: "better" })).status).toBe(200);
    expect((await catchRefusal(late.edit({ draft: false }))).code).toBe("publish_at_in_past");
  });

  it("a scheduled post can be turned into a draft with the scope publish", async () => {
    const { edit, readPosts, readDeliveries, armed } = await setUpPost({ publish_at: LATER });
    expect(await catchRefusal(edit({ draft: true }, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect((await edit({ draft: true })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ status: "draft", dueAt: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("a draft is not released once the plan's monthly limit is used up", async () => {
    const free = { workspace: { plan: "free" } };
    const { edit, create, createOne, call } = await setUpPost({ draft: true }, free);
    const { posts_allowed: allowed } = Object((await create({ dry_run: true })).body.counts);
    let last = "";
    for (let i = 0; i < allowed; i++) last = await createOne({ text: `post ${i}`, publish_at: LATER });
    const full = await catchRefusal(edit({ draft: false }));
    expect([full.status, full.detail.extra]).toMatchObject([402, { limit: "posts_per_month", used: allowed, allowed }]);
    expect((await call("posts.update", { id: last, body: { text: "counted already" } })).status).toBe(200);
  });
});

describe("a post that waits for approval", () => {
  const createWaitingPost = async () => {
    const workspace = await setUpWorkspace({ workspace: { approval: "authors" } });
    const { body } = await workspace.create({}, { scopes: ["draft"] });
    const id = String(body.id);
    const edit = (patch: object, options: object = {}) =>
      workspace.call("posts.update", { id, body: patch, ...options });
    return { ...workspace, id, edit, tag: body.content_tag };
  };

  it("an edited post waits for approval again, and the previous content can no longer be approved", async () => {
    const { call, edit, id, tag, readDeliveries } = await createWaitingPost();
    const { body } = await edit({ text: "better" });
    expect(body).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", rev: 2 }, rev: 2 });
    expect(body.content_tag).not.toBe(tag);
    expect(await catchRefusal(call("posts.approve", { id, body: { rev: 1, content_tag: tag } }))).toMatchObject({
      code: "post_changed",
    });
    expect(await readDeliveries()).toEqual([]);
    expect(await catchRefusal(edit({ text: "x" }, { scopes: ["read"] }))).toMatchObject({ status: 403 });
  });

  it("a waiting post can be turned into a draft with the scope draft, and has no approval state then", async () => {
    const { edit } = await createWaitingPost();
    const { body } = await edit({ draft: true }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "draft", approval: null });
  });

  it("a declined post keeps the reason while it is a draft, and waits for approval again when it is released", async () => {
    const { call, edit, id } = await createWaitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    const { body } = await edit({ text: "shorter" }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "draft", approval: { state: "declined", reason: "too long" } });
    const { body: again } = await edit({ draft: false }, { scopes: ["draft"] });
    expect(again).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", reason: null, rev: 3 } });
  });
});
