// Edits of posts: what they change, what they leave, whom they wake, and which of several at once counts.
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { NOW } from "../../store/deliveries/stored-delivery.ts";
import { createdPost } from "./created-post.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const ON_X = { channel: { platform: "x" } };
const at = (ms: number) => new Date(ms).toISOString();
const LATER = at(NOW + HOUR_MS);

describe("an edit", () => {
  it("changes what it names and leaves the rest, and is the next revision", async () => {
    const { edit, readPosts, readDeliveries, armed } = await createdPost(
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

  it("of nothing is answered with the post as it is, at the revision that it has", async () => {
    const { edit, armed } = await createdPost();
    expect((await edit({})).body).toMatchObject({ rev: 1, text: "hello" });
    expect(armed).toEqual([]);
  });

  it("replaces labels, metadata, thread and overrides as a whole", async () => {
    const { edit, readPosts, first } = await createdPost(
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

  it("of the channels keeps the deliveries of those that stay", async () => {
    const { edit, readDeliveries, first, second, armed } = await createdPost({ publish_at: LATER });
    const [, kept] = await readDeliveries();
    await edit({ channels: [second] });
    expect(await readDeliveries()).toMatchObject([{ id: kept?.id, channelId: second, state: "pending" }]);
    expect(armed).toEqual([{ lane: 1, at: NOW + HOUR_MS }]);
    await edit({ channels: [second, first] });
    expect(await readDeliveries()).toMatchObject([{ id: kept?.id }, { channelId: first, nextAt: NOW + HOUR_MS }]);
  });

  it("of the time moves the post and its deliveries, and taking it away has it go out now", async () => {
    const { edit, readPosts, readDeliveries, armed } = await createdPost({ publish_at: LATER });
    await edit({ publish_at: at(NOW + 2 * HOUR_MS) });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + 2 * HOUR_MS, dueAt: NOW + 2 * HOUR_MS }]);
    expect(await readDeliveries()).toMatchObject([{ nextAt: NOW + 2 * HOUR_MS }, { nextAt: NOW + 2 * HOUR_MS }]);
    await edit({ publish_at: null });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
    expect(armed.slice(-2)).toEqual([0, 1].map((lane) => ({ lane, at: NOW })));
  });

  it("leaves a post without a time due when it was", async () => {
    const { edit, readPosts, ctx } = await createdPost();
    const earlier = await readPosts();
    ctx.now = () => NOW + 5_000;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: earlier[0]?.dueAt, text: "better" }]);
  });

  it("is judged as a whole, and a time that was accepted is not judged again", async () => {
    const { edit, ctx } = await createdPost({ publish_at: LATER });
    const long = await refusal(edit({ text: "x".repeat(5_000) }));
    expect([long.status, long.code]).toEqual([422, "text_too_long"]);
    ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await edit({ text: "better" })).status).toBe(200);
    expect((await refusal(edit({ publish_at: LATER }))).code).toBe("publish_at_in_past");
  });

  it("sets the type of a post once", async () => {
    const { edit, id } = await createdPost({ draft: true, channels: [] });
    expect((await edit({ post_type: "story" })).body).toMatchObject({ id, post_type: "story" });
    expect((await edit({ post_type: "story", text: "better" })).status).toBe(200);
    const fixed = await refusal(edit({ post_type: "reel" }));
    expect([fixed.code, fixed.detail.field]).toEqual(["post_type_fixed", "/post_type"]);
    expect(fixed.message).toBe("The post is a story, which cannot be changed.");
  });

  it("counts as the change of who makes it", async () => {
    const { edit, join, readPosts } = await createdPost();
    const publisher = await join("publisher");
    await edit({ text: "better" }, { as: publisher });
    expect(await readPosts()).toMatchObject([
      { author: { kind: "person", id: publisher.userId }, authorUserId: publisher.userId },
    ]);
  });

  it("at another revision than the caller names is refused", async () => {
    const { edit, readPosts } = await createdPost();
    const changed = await refusal(edit({ text: "better" }, { ifMatch: '"7"' }));
    expect([changed.status, changed.code, changed.detail.field]).toEqual([412, "post_changed", "If-Match"]);
    expect(changed.message).toBe("The post has another revision than `If-Match` names.");
    expect(changed.detail.headers).toEqual({ ETag: '"1"' });
    expect((await edit({ text: "better" }, { ifMatch: '"1"' })).status).toBe(200);
    expect(await readPosts()).toMatchObject([{ text: "better", revision: 2 }]);
  });

  it("finds no post that is not there, or is beyond the reach of its key", async () => {
    const { edit, first, call } = await createdPost();
    expect(await refusal(edit({ text: "x" }, { reach: [first] }))).toMatchObject({ status: 404 });
    const missing = call("posts.update", { id: "post_01HZX0000000000000000000AB", body: { text: "x" } });
    expect(await refusal(missing)).toMatchObject({ status: 404 });
  });
});

describe("a post that is not editable any more", () => {
  it.each([
    ["a delivery has started", { startedAt: NOW }],
    ["a delivery has failed", { state: "failed", error: "content_refused", nextAt: null }],
  ] as const)("because %s stays as it is", async (_why, columns) => {
    const { edit, changeDelivery, second, readPosts } = await createdPost({ publish_at: LATER });
    await changeDelivery(second, columns);
    expect(await refusal(edit({ text: "better" }))).toMatchObject({ status: 409, code: "post_not_editable" });
    expect(await readPosts()).toMatchObject([{ text: "hello", revision: 1 }]);
  });

  it("because it was cancelled says so", async () => {
    const { edit, call, id } = await createdPost({ publish_at: LATER });
    await call("posts.remove", { id });
    const cancelled = await refusal(edit({ text: "better" }));
    expect([cancelled.code, cancelled.message]).toEqual(["post_not_editable", "The post is cancelled."]);
  });
});

describe("a draft", () => {
  it("is edited by who may draft, stays a draft, and wakes nobody", async () => {
    const { edit, readPosts, readDeliveries, armed } = await createdPost({ draft: true, publish_at: LATER });
    expect((await edit({ text: "better" }, { scopes: ["draft"] })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ dueAt: null, publishAt: NOW + HOUR_MS, countedMonth: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
    expect(await refusal(edit({ text: "x" }, { scopes: ["publish"] }))).toMatchObject({ status: 403 });
  });

  it("is released at its time, with deliveries, and counts for its month", async () => {
    const { edit, readPosts, readDeliveries, armed } = await createdPost({ draft: true, publish_at: LATER });
    expect(await refusal(edit({ draft: false }, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect((await edit({ draft: false })).body).toMatchObject({ status: "scheduled", publish_at: LATER });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, draftBytes: 0 }]);
    expect((await readPosts())[0]?.countedMonth).not.toBeNull();
    expect(await readDeliveries()).toHaveLength(2);
    expect(armed).toHaveLength(2);
  });

  it("without a time is due when it is released, and one whose time has passed is not released", async () => {
    const { edit, readPosts, ctx } = await createdPost({ draft: true });
    ctx.now = () => NOW + 5_000;
    await edit({ draft: false });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + 5_000 }]);
    const late = await createdPost({ draft: true, publish_at: LATER });
    late.ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await late.edit({ text: "better" })).status).toBe(200);
    expect((await refusal(late.edit({ draft: false }))).code).toBe("publish_at_in_past");
  });

  it("is what a scheduled post becomes when it is pulled back, for who may publish", async () => {
    const { edit, readPosts, readDeliveries, armed } = await createdPost({ publish_at: LATER });
    expect(await refusal(edit({ draft: true }, { scopes: ["draft"] }))).toMatchObject({ status: 403 });
    expect((await edit({ draft: true })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ status: "draft", dueAt: null }]);
    expect([await readDeliveries(), armed]).toEqual([[], []]);
  });

  it("is not released once the month of its plan is used up", async () => {
    const free = { workspace: { plan: "free" } };
    const { edit, create, createOne, call } = await createdPost({ draft: true }, free);
    const { posts_allowed: allowed } = Object((await create({ dry_run: true })).body.counts);
    let last = "";
    for (let i = 0; i < allowed; i++) last = await createOne({ text: `post ${i}`, publish_at: LATER });
    const full = await refusal(edit({ draft: false }));
    expect([full.status, full.detail.extra]).toMatchObject([402, { limit: "posts_per_month", used: allowed, allowed }]);
    expect((await call("posts.update", { id: last, body: { text: "counted already" } })).status).toBe(200);
  });
});

describe("a post that waits for approval", () => {
  const waiting = async () => {
    const workspace = await workspaceOfTwo({ workspace: { approval: "authors" } });
    const { body } = await workspace.create({}, { scopes: ["draft"] });
    const id = String(body.id);
    const edit = (patch: object, more: object = {}) => workspace.call("posts.update", { id, body: patch, ...more });
    return { ...workspace, id, edit, tag: body.content_tag };
  };

  it("waits anew when it is edited, also by who may publish, and earlier decisions are void", async () => {
    const { call, edit, id, tag, readDeliveries } = await waiting();
    const { body } = await edit({ text: "better" });
    expect(body).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", rev: 2 }, rev: 2 });
    expect(body.content_tag).not.toBe(tag);
    expect(await refusal(call("posts.approve", { id, body: { rev: 1, content_tag: tag } }))).toMatchObject({
      code: "post_changed",
    });
    expect(await readDeliveries()).toEqual([]);
    expect(await refusal(edit({ text: "x" }, { scopes: ["read"] }))).toMatchObject({ status: 403 });
  });

  it("is pulled back by its writer, and keeps no word of waiting", async () => {
    const { edit } = await waiting();
    const { body } = await edit({ draft: true }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "draft", approval: null });
  });

  it("that was declined keeps the reason while it is a draft, and waits anew when it is released", async () => {
    const { call, edit, id } = await waiting();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    const { body } = await edit({ text: "shorter" }, { scopes: ["draft"] });
    expect(body).toMatchObject({ status: "draft", approval: { state: "declined", reason: "too long" } });
    const { body: again } = await edit({ draft: false }, { scopes: ["draft"] });
    expect(again).toMatchObject({ status: "awaiting_approval", approval: { state: "waiting", reason: null, rev: 3 } });
  });
});
