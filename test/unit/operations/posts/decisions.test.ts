// Decisions on posts that wait for approval.

import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { events, workspaceAudit } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const NOW_TEXT = new Date(NOW).toISOString();

async function createWaitingPost(body: object = {}) {
  const sentJobs: unknown[] = [];
  const workspace = await setUpWorkspace({
    workspace: { approval: "authors" },
    outside: { queue: { send: async (jobs) => void sentJobs.push(...jobs) } },
  });
  const { body: post } = await workspace.create(body, { scopes: ["draft"] });
  const readEvents = async () =>
    await db.select().from(events).where(eq(events.workspaceId, workspace.workspaceId)).orderBy(events.seq);
  return { ...workspace, sentJobs, readEvents, id: String(post.id), tag: post.content_tag };
}

describe("the last decision on a post", () => {
  it("a post has no last decision before one is made", async () => {
    const { call, id } = await createWaitingPost();
    expect((await call("posts.decision", { id })).body).toEqual({ decision: null });
  });

  it("the last decision keeps the post's content at that time", async () => {
    const { call, id, first, second } = await createWaitingPost({ publish_at: LATER });
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
        poll: null,
        channels: [first, second],
        overrides: {},
        publish_at: LATER,
        media_fit: "exact",
        link_tags: null,
        repeat: null,
        post_type: null,
        alts: {},
      },
    });
  });

  it("the last decision is hidden from a key that may not use all its channels", async () => {
    const { call, id, first, second } = await createWaitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    await call("posts.update", { id, body: { channels: [first] } });
    expect((await call("posts.decision", { id, reach: [first] })).body).toEqual({ decision: null });
    expect((await call("posts.decision", { id, reach: [first, second] })).body.decision).toMatchObject({ rev: 1 });
    expect(await catchRefusal(call("posts.decision", { id, reach: [second] }))).toMatchObject({ status: 404 });
  });
});

describe("an approval", () => {
  it("an approval causes an event and a notification of the members", async () => {
    const { call, id, tag, sentJobs, workspaceId, readEvents } = await createWaitingPost({ metadata: { a: "1" } });
    expect(sentJobs).toEqual([{ kind: "notify", workspace: workspaceId }]);
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readEvents()).toMatchObject([
      { event: "post.approval_requested", postId: id },
      { event: "post.approved", postId: id },
    ]);
    expect(sentJobs).toHaveLength(2);
  });

  it("an approval with another time moves the post and wakes its publishers for that time", async () => {
    const { call, id, tag, armed, readPosts, readDeliveries } = await createWaitingPost();
    const later = { rev: 1, content_tag: tag, publish_at: LATER };
    expect((await call("posts.approve", { id, body: later })).body).toMatchObject({ publish_at: LATER });
    expect(armed).toEqual([0, 1].map((lane) => ({ lane, at: NOW + HOUR_MS })));
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, author: { id: "key_1" }, revision: 1 }]);
    expect(await readDeliveries()).toMatchObject([{ nextAt: NOW + HOUR_MS }, { nextAt: NOW + HOUR_MS }]);
  });

  it("approvals and declines are recorded in the audit log", async () => {
    const { call, id, tag, workspaceId, create } = await createWaitingPost();
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    const { body: secondPost } = await create({}, { scopes: ["draft"] });
    await call("posts.decline", { id: String(secondPost.id), body: { rev: 1, reason: "no" } });
    const acts = db.select().from(workspaceAudit).where(eq(workspaceAudit.workspaceId, workspaceId));
    expect((await acts).map(({ act, targetId }) => [act, targetId])).toEqual([
      ["post.approved", id],
      ["post.declined", String(secondPost.id)],
    ]);
  });

  it("an approval without a time keeps the post's own", async () => {
    const { call, id, tag, readPosts } = await createWaitingPost({ publish_at: LATER });
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + HOUR_MS }]);
  });

  it("an approval for now removes the post's time", async () => {
    const { call, id, tag, readPosts } = await createWaitingPost({ publish_at: LATER });
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag, publish_at: null } });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
  });

  it("an approval is refused if the plan's monthly limit is used up", async () => {
    const { create, call, readPosts } = await setUpWorkspace({ workspace: { approval: "authors", plan: "free" } });
    const { body: waits } = await create({}, { scopes: ["draft"] });
    const { body: dry } = await create({ dry_run: true });
    const { posts_allowed: allowed } = Object(dry.counts);
    for (let i = 0; i < allowed; i++) await create({ text: `post ${i}` });
    const decision = { rev: 1, content_tag: waits.content_tag };
    const full = await catchRefusal(call("posts.approve", { id: String(waits.id), body: decision }));
    expect([full.code, full.detail.extra]).toMatchObject(["plan_limit", { limit: "posts_per_month", used: allowed }]);
    expect((await readPosts()).filter(({ status }) => status === "awaiting_approval")).toHaveLength(1);
  });

  it("an approval does not find a post of another workspace, or of channels that its key may not use", async () => {
    const { call, id, tag, first } = await createWaitingPost();
    const decision = { rev: 1, content_tag: tag };
    const message = "Not found: no post with this id in this workspace.";
    expect(await catchRefusal(call("posts.approve", { id, body: decision, reach: [first] }))).toMatchObject({
      message,
    });
    const { call: callElsewhere } = await setUpWorkspace();
    expect(await catchRefusal(callElsewhere("posts.approve", { id, body: decision }))).toMatchObject({ status: 404 });
  });

  it("an approval of a post that does not wait is refused with the post's status", async () => {
    const { call, createOne } = await setUpWorkspace();
    const id = await createOne({ draft: true });
    const early = await catchRefusal(call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }));
    expect([early.status, early.code]).toEqual([412, "post_changed"]);
    const declined = await catchRefusal(call("posts.decline", { id, body: { rev: 1, reason: "no" } }));
    expect([declined.code, declined.message]).toEqual(["post_not_waiting", "The post is draft."]);
  });
});

describe("a refusal", () => {
  it("the refusal of another revision or content has the current post and its tag", async () => {
    const { call, id, tag } = await createWaitingPost();
    const revised = await catchRefusal(call("posts.approve", { id, body: { rev: 7, content_tag: tag } }));
    expect(revised.message).toBe("The post has another revision than `rev` names.");
    expect(revised.detail).toMatchObject({ extra: { current: { id } }, headers: { ETag: '"1"' } });
    const refused = await catchRefusal(call("posts.approve", { id, body: { rev: 1, content_tag: "A".repeat(43) } }));
    expect(refused.message).toBe("The post has another content than `content_tag` names.");
  });
});

describe("a post that is declined", () => {
  it("a decline causes an event and a notification of the members", async () => {
    const { call, id, sentJobs, readEvents } = await createWaitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect((await readEvents()).map(({ event }) => event)).toEqual(["post.approval_requested", "post.declined"]);
    expect(sentJobs).toHaveLength(2);
  });

  it("a decline is refused at another revision or content, or by a key that may not use the channels", async () => {
    const { call, id, first, readPosts } = await createWaitingPost();
    const body = { rev: 1, reason: "no" };
    expect(await catchRefusal(call("posts.decline", { id, body: { ...body, rev: 2 } }))).toMatchObject({ status: 412 });
    const otherContent = { ...body, content_tag: "A".repeat(43) };
    expect(await catchRefusal(call("posts.decline", { id, body: otherContent }))).toMatchObject({ status: 412 });
    expect(await catchRefusal(call("posts.decline", { id, body, reach: [first] }))).toMatchObject({ status: 404 });
    expect(await readPosts()).toMatchObject([{ status: "awaiting_approval" }]);
  });
});

describe("a post that is queued", () => {
  it("a new post waits for approval if the workspace requires it for all posts", async () => {
    const { create } = await setUpWorkspace({ workspace: { approval: "all" } });
    expect((await create()).body).toMatchObject({ status: "awaiting_approval" });
  });

  it("a call without the required scope is refused with the missing scope", async () => {
    const { createOne, call } = await setUpWorkspace({ workspace: { approval: "authors" } });
    const id = await createOne();
    expect(await catchRefusal(call("posts.remove", { id, scopes: ["draft"] }))).toMatchObject({
      code: "scope_missing",
      detail: { extra: { scope: "publish" } },
    });
    const { create } = await setUpWorkspace();
    expect(await catchRefusal(create({}, { scopes: ["draft"] }))).toMatchObject({
      detail: { extra: { scope: "publish" } },
    });
    expect(await catchRefusal(create({ draft: true }, { scopes: ["publish"] }))).toMatchObject({
      detail: { extra: { scope: "draft" } },
    });
  });
});
