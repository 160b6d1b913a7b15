// Edits change the room for drafts, events, the audit log and the author of a post.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import { events, workspaceAudit } from "../../../../src/store/db/schema.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpPost } from "./created-post.ts";
import { setUpWorkspace } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const readRoom = async (workspaceId: string) => {
  const { drafts, draftBytes } = (await getWorkspace(db, workspaceId)) ?? expect.fail("it is gone");
  return { drafts, draftBytes };
};

describe("the room for drafts", () => {
  it("the room for drafts follows a draft that grows, shrinks, is released and becomes a draft again", async () => {
    const { edit, workspaceId, readPosts } = await setUpPost({ draft: true });
    const [post] = await readPosts();
    const bytes = post?.draftBytes ?? 0;
    expect(await readRoom(workspaceId)).toEqual({ drafts: 1, draftBytes: bytes });
    await edit({ text: `hello${"x".repeat(100)}` });
    const roomAfterGrowth = await readRoom(workspaceId);
    expect(roomAfterGrowth.drafts).toBe(1);
    expect(roomAfterGrowth.draftBytes).toBeGreaterThan(bytes);
    await edit({ text: "hello" });
    expect(await readRoom(workspaceId)).toEqual({ drafts: 1, draftBytes: bytes });
    await edit({ draft: false, publish_at: LATER });
    expect(await readRoom(workspaceId)).toEqual({ drafts: 0, draftBytes: 0 });
    await edit({ text: "better" });
    expect(await readRoom(workspaceId)).toEqual({ drafts: 0, draftBytes: 0 });
    await edit({ draft: true });
    expect((await readRoom(workspaceId)).drafts).toBe(1);
  });
});

describe("an edit of a post that waits", () => {
  const createWaitingPost = async () => {
    const jobs: unknown[] = [];
    const woken: unknown[] = [];
    const workspace = await setUpWorkspace({
      workspace: { approval: "authors" },
      outside: {
        queue: { send: async (newJobs) => void jobs.push(...newJobs) },
        webhooks: { wake: async (_workspace, ids) => void woken.push(ids) },
      },
    });
    const author = await workspace.join("author");
    const { body } = await workspace.create({ metadata: { a: "1" } }, { as: author });
    const id = String(body.id);
    const readEvents = async () =>
      (await db.select().from(events).where(eq(events.workspaceId, workspace.workspaceId)).orderBy(events.seq)).map(
        ({ event, body: news }) => ({ event, ...JSON.parse(news) }),
      );
    return { ...workspace, author, id, jobs, woken, readEvents };
  };

  it("an edit of a waiting post requests approval again, with its new metadata, and an edit of a scheduled post does not", async () => {
    const { call, id, author, jobs, readEvents, workspaceId, woken } = await createWaitingPost();
    await call("posts.update", { as: author, id, body: { metadata: { b: "2" } } });
    expect((await readEvents()).map(({ event, post, metadata }) => ({ event, post, metadata }))).toEqual([
      { event: "post.approval_requested", post: id, metadata: { a: "1" } },
      { event: "post.approval_requested", post: id, metadata: { b: "2" } },
    ]);
    expect(jobs).toEqual([1, 2].map(() => ({ kind: "notify", workspace: workspaceId })));
    expect(woken).toEqual([[], []]);
    const scheduled = await setUpPost();
    await scheduled.edit({ text: "better" });
    const isOfScheduled = eq(events.workspaceId, scheduled.workspaceId);
    expect(await db.select().from(events).where(isOfScheduled)).toEqual([]);
  });

  it("an approval is recorded in the audit log and keeps the author, and an edit is not recorded", async () => {
    const { call, id, author, readPosts, workspaceId, join, readDeliveries, readEvents } = await createWaitingPost();
    const readActs = async () =>
      await db.select().from(workspaceAudit).where(eq(workspaceAudit.workspaceId, workspaceId));
    const { body } = await call("posts.update", { as: author, id, body: { text: "better" } });
    expect(await readActs()).toEqual([]);
    const publisher = await join("publisher");
    await call("posts.approve", { as: publisher, id, body: { rev: 2, content_tag: body.content_tag } });
    expect(await readActs()).toMatchObject([{ act: "post.approved", targetId: id }]);
    expect(await readPosts()).toMatchObject([{ author: { id: author.userId }, authorUserId: author.userId }]);
    expect((await readEvents()).at(-1)).toMatchObject({ event: "post.approved" });
    for (const { id: delivery } of await readDeliveries()) expect(delivery).toMatch(/^dlv_/);
  });
});

describe("an edit that leaves something out", () => {
  it("an edit keeps the media fit and the type of a post that it does not name", async () => {
    const draft = { draft: true, channels: [], media_fit: "adapt", post_type: "story" };
    const images = { encode: async () => expect.fail("nothing is converted") };
    const { edit, readPosts } = await setUpPost(draft, { outside: { images, bucket: memoryBucket().bucket } });
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ mediaFit: "adapt", postType: "story" }]);
    await edit({ media_fit: "exact" });
    expect(await readPosts()).toMatchObject([{ mediaFit: "exact" }]);
  });

  it("an edit warns of a token that expires before the post is due", async () => {
    const { edit } = await setUpPost({ publish_at: LATER }, { channel: { tokenExpiresAt: NOW + 5_000 } });
    const warnings = async (patch: object) =>
      Object((await edit(patch)).body).warnings.map(({ code }: { code: string }) => code);
    const bothWarnings = Array(2).fill("token_expires_before_publish_at");
    expect([await warnings({}), await warnings({ text: "b" }), await warnings({ publish_at: null })]).toEqual([
      bothWarnings,
      bothWarnings,
      [],
    ]);
  });
});
