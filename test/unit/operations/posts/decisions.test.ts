// Decisions on posts that wait: what is kept of them, whom they wake, and what a decision does not find.

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { events, workspaceAudit } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const NOW_TEXT = new Date(NOW).toISOString();

async function waitingPost(body: object = {}) {
  const sent: unknown[] = [];
  const workspace = await workspaceOfTwo({
    workspace: { approval: "authors" },
    outside: { queue: { send: async (jobs) => void sent.push(...jobs) } },
  });
  const { body: post } = await workspace.create(body, { scopes: ["draft"] });
  const readEvents = async () =>
    await db.select().from(events).where(eq(events.workspaceId, workspace.workspaceId)).orderBy(events.seq);
  return { ...workspace, sent, readEvents, id: String(post.id), tag: post.content_tag };
}

describe("the last decision on a post", () => {
  it("is nothing while nobody has decided", async () => {
    const { call, id } = await waitingPost();
    expect((await call("posts.decision", { id })).body).toEqual({ decision: null });
  });

  it("is kept with what the post was then, whatever becomes of it", async () => {
    const { call, id, first, second } = await waitingPost({ publish_at: LATER });
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    await call("posts.update", { id, body: { text: "shorter" } });
    expect((await call("posts.decision", { id })).body).toEqual({
      decision: {
        state: "declined",
        by: "key_1",
        reason: "too long",
        at: NOW_TEXT,
        rev: 1,
        text: "hello",
        media: [],
        thread: null,
        channels: [first, second],
        overrides: {},
        publish_at: LATER,
        media_fit: "exact",
        post_type: null,
        alts: {},
      },
    });
  });

  it("is not shown to a key that does not know all of its channels", async () => {
    const { call, id, first, second } = await waitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    await call("posts.update", { id, body: { channels: [first] } });
    expect((await call("posts.decision", { id, reach: [first] })).body).toEqual({ decision: null });
    expect((await call("posts.decision", { id, reach: [first, second] })).body.decision).toMatchObject({ rev: 1 });
    expect(await refusal(call("posts.decision", { id, reach: [second] }))).toMatchObject({ status: 404 });
  });
});

describe("an approval", () => {
  it("is told to the feed, and to members at once", async () => {
    const { call, id, tag, sent, workspaceId, readEvents } = await waitingPost({ metadata: { a: "1" } });
    expect(sent).toEqual([{ kind: "notify", workspace: workspaceId }]);
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readEvents()).toMatchObject([
      { event: "post.approval_requested", postId: id },
      { event: "post.approved", postId: id },
    ]);
    expect(sent).toHaveLength(2);
  });

  it("at another time moves the post there, and its publishers", async () => {
    const { call, id, tag, armed, readPosts, readDeliveries } = await waitingPost();
    const later = { rev: 1, content_tag: tag, publish_at: LATER };
    expect((await call("posts.approve", { id, body: later })).body).toMatchObject({ publish_at: LATER });
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW + HOUR_MS })));
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, author: { id: "key_1" }, revision: 1 }]);
    expect(await readDeliveries()).toMatchObject([{ nextAt: NOW + HOUR_MS }, { nextAt: NOW + HOUR_MS }]);
  });

  it("is noted in the audit log, and so is a post that is declined", async () => {
    const { call, id, tag, workspaceId, create } = await waitingPost();
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    const { body: other } = await create({}, { scopes: ["draft"] });
    await call("posts.decline", { id: String(other.id), body: { rev: 1, reason: "no" } });
    const acts = db.select().from(workspaceAudit).where(eq(workspaceAudit.workspaceId, workspaceId));
    expect((await acts).map(({ act, targetId }) => [act, targetId])).toEqual([
      ["post.approved", id],
      ["post.declined", String(other.id)],
    ]);
  });

  it("without a time keeps the post's own", async () => {
    const { call, id, tag, readPosts } = await waitingPost({ publish_at: LATER });
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + HOUR_MS }]);
  });

  it("for now takes the post's time away", async () => {
    const { call, id, tag, readPosts } = await waitingPost({ publish_at: LATER });
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag, publish_at: null } });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
  });

  it("is refused when the month of the plan is used up", async () => {
    const { create, call, readPosts } = await workspaceOfTwo({ workspace: { approval: "authors", plan: "free" } });
    const { body: waits } = await create({}, { scopes: ["draft"] });
    const { body: dry } = await create({ dry_run: true });
    const { posts_allowed: allowed } = Object(dry.counts);
    for (let i = 0; i < allowed; i++) await create({ text: `post ${i}` });
    const decision = { rev: 1, content_tag: waits.content_tag };
    const full = await refusal(call("posts.approve", { id: String(waits.id), body: decision }));
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "posts_per_month", used: allowed }]);
    expect((await readPosts()).filter(({ status }) => status === "awaiting_approval")).toHaveLength(1);
  });

  it("finds no post of another workspace, or beyond the reach of its key", async () => {
    const { call, id, tag, first } = await waitingPost();
    const decision = { rev: 1, content_tag: tag };
    const message = "Not found: no post with this id in this workspace.";
    expect(await refusal(call("posts.approve", { id, body: decision, reach: [first] }))).toMatchObject({ message });
    const { call: callElsewhere } = await workspaceOfTwo();
    expect(await refusal(callElsewhere("posts.approve", { id, body: decision }))).toMatchObject({ status: 404 });
  });

  it("is refused with what the post is instead", async () => {
    const { call, createOne } = await workspaceOfTwo();
    const id = await createOne({ draft: true });
    const early = await refusal(call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }));
    expect([early.status, early.code]).toEqual([412, "post_changed"]);
    const declined = await refusal(call("posts.decline", { id, body: { rev: 1, reason: "no" } }));
    expect([declined.code, declined.message]).toEqual(["post_not_waiting", "The post is draft."]);
  });
});

describe("a refusal", () => {
  it("of another revision names it, and brings the post as it is with its tag", async () => {
    const { call, id, tag } = await waitingPost();
    const revised = await refusal(call("posts.approve", { id, body: { rev: 7, content_tag: tag } }));
    expect(revised.message).toBe("The post has another revision than `rev` names.");
    expect(revised.detail).toMatchObject({ extra: { current: { id } }, headers: { ETag: '"1"' } });
    const other = await refusal(call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }));
    expect(other.message).toBe("The post has another content than `content_tag` names.");
  });
});

describe("a post that is declined", () => {
  it("is told to the feed, and to members at once", async () => {
    const { call, id, sent, readEvents } = await waitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect((await readEvents()).map(({ event }) => event)).toEqual(["post.approval_requested", "post.declined"]);
    expect(sent).toHaveLength(2);
  });

  it("is not declined at another revision or content, or beyond the reach of a key", async () => {
    const { call, id, first, readPosts } = await waitingPost();
    const body = { rev: 1, reason: "no" };
    expect(await refusal(call("posts.decline", { id, body: { ...body, rev: 2 } }))).toMatchObject({ status: 412 });
    const other = { ...body, content_tag: "A".repeat(43) };
    expect(await refusal(call("posts.decline", { id, body: other }))).toMatchObject({ status: 412 });
    expect(await refusal(call("posts.decline", { id, body, reach: [first] }))).toMatchObject({ status: 404 });
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
  });
});

describe("a post that is queued", () => {
  it("waits where the workspace wants everybody's posts to be approved", async () => {
    const { create } = await workspaceOfTwo({ workspace: { approval: "all" } });
    expect((await create()).body).toMatchObject({ status: "awaiting_approval" });
  });

  it("is refused with the scope that is missing, to publish or to draft", async () => {
    const { createOne, call } = await workspaceOfTwo({ workspace: { approval: "authors" } });
    const id = await createOne();
    expect(await refusal(call("posts.remove", { id, scopes: ["draft"] }))).toMatchObject({
      code: "scope_missing",
      detail: { extra: { scope: "publish" } },
    });
    const { create } = await workspaceOfTwo();
    expect(await refusal(create({}, { scopes: ["draft"] }))).toMatchObject({ detail: { extra: { scope: "publish" } } });
    expect(await refusal(create({ draft: true }, { scopes: ["publish"] }))).toMatchObject({
      detail: { extra: { scope: "draft" } },
    });
  });
});
