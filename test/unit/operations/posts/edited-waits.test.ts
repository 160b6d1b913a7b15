// What an edit leaves behind it: room for drafts, news, notes of the audit log, and who counts as the author.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { HOUR_MS } from "../../../../src/domain/limits.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import { events, workspaceAudit } from "../../../../src/store/db/schema.ts";
import { memoryBucket } from "../../../support/memory-bucket.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { createdPost } from "./created-post.ts";
import { workspaceOfTwo } from "./workspace-of-two.ts";

const LATER = new Date(NOW + HOUR_MS).toISOString();
const readRoom = async (workspaceId: string) => {
  const { drafts, draftBytes } = (await getWorkspace(db, workspaceId)) ?? expect.fail("it is gone");
  return { drafts, draftBytes };
};

describe("the room for drafts", () => {
  it("follows a draft as it grows, shrinks, is released and is pulled back", async () => {
    const { edit, workspaceId, readPosts } = await createdPost({ draft: true });
    const [post] = await readPosts();
    const bytes = post?.draftBytes ?? 0;
    expect(await readRoom(workspaceId)).toEqual({ drafts: 1, draftBytes: bytes });
    await edit({ text: `hello${"x".repeat(100)}` });
    const grown = await readRoom(workspaceId);
    expect(grown.drafts).toBe(1);
    expect(grown.draftBytes).toBeGreaterThan(bytes);
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
  const waiting = async () => {
    const jobs: unknown[] = [];
    const woken: unknown[] = [];
    const workspace = await workspaceOfTwo({
      workspace: { approval: "authors" },
      outside: {
        queue: { send: async (sent) => void jobs.push(...sent) },
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

  it("asks for approval anew, with its metadata, and an edit of a scheduled post asks nobody", async () => {
    const { call, id, author, jobs, readEvents, workspaceId, woken } = await waiting();
    await call("posts.update", { as: author, id, body: { metadata: { b: "2" } } });
    expect((await readEvents()).map(({ event, post, metadata }) => ({ event, post, metadata }))).toEqual([
      { event: "post.approval_requested", post: id, metadata: { a: "1" } },
      { event: "post.approval_requested", post: id, metadata: { b: "2" } },
    ]);
    expect(jobs).toEqual([1, 2].map(() => ({ kind: "notify", workspace: workspaceId })));
    expect(woken).toEqual([[], []]);
    const scheduled = await createdPost();
    await scheduled.edit({ text: "better" });
    const ofScheduled = eq(events.workspaceId, scheduled.workspaceId);
    expect(await db.select().from(events).where(ofScheduled)).toEqual([]);
  });

  it("is no approval: only that is noted in the audit log, and leaves the author", async () => {
    const { call, id, author, readPosts, workspaceId, join, readDeliveries, readEvents } = await waiting();
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
  it("keeps how files are fitted, and the type of the post", async () => {
    const draft = { draft: true, channels: [], media_fit: "adapt", post_type: "story" };
    const images = { encode: async () => expect.fail("nothing is converted") };
    const { edit, readPosts } = await createdPost(draft, { outside: { images, bucket: memoryBucket().bucket } });
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ mediaFit: "adapt", postType: "story" }]);
    await edit({ media_fit: "exact" });
    expect(await readPosts()).toMatchObject([{ mediaFit: "exact" }]);
  });

  it("warns of a token that ends before its time", async () => {
    const { edit } = await createdPost({ publish_at: LATER }, { channel: { tokenExpiresAt: NOW + 5_000 } });
    const warnings = async (patch: object) =>
      Object((await edit(patch)).body).warnings.map(({ code }: { code: string }) => code);
    const both = Array(2).fill("token_expires_before_publish_at");
    expect([await warnings({}), await warnings({ text: "b" }), await warnings({ publish_at: null })]).toEqual([
      both,
      both,
      [],
    ]);
  });
});
