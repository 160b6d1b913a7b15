// What an edit writes beside the fields that it names: times, counts, costs, files and news.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import { events, media, workspaces } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { createdPost } from "./created-post.ts";
import { JPEG, withImages } from "./with-images.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const at = (ms: number) => new Date(ms).toISOString();
const LATER = at(NOW + HOUR_MS);
const BY_AUTHORS = { workspace: { approval: "authors" } } as const;

/** A post that waits for approval, of an author whose posts all do. */
async function waitingPost(body: object = {}, parts: Parameters<typeof workspaceOfTwo>[0] = {}) {
  const workspace = await workspaceOfTwo({ ...BY_AUTHORS, ...parts });
  const { body: post } = await workspace.create(body, { scopes: ["draft"] });
  const id = String(post.id);
  const edit = (patch: object, more: object = {}) => workspace.call("posts.update", { id, body: patch, ...more });
  return { ...workspace, id, edit, tag: post.content_tag };
}

describe("the time of a post", () => {
  it("that has passed leaves an edited post due now", async () => {
    const { edit, ctx, readPosts } = await createdPost({ publish_at: LATER });
    ctx.now = () => NOW + 3 * HOUR_MS;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + HOUR_MS, dueAt: NOW + 3 * HOUR_MS }]);
  });

  it("stays absent if the post has none", async () => {
    const { edit, readPosts } = await createdPost();
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
  });

  it("is not judged again by an edit of a waiting post, which stays due and wakes nobody", async () => {
    const { edit, ctx, armed, readPosts } = await waitingPost({ publish_at: LATER });
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, countedMonth: null }]);
    ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await edit({ text: "late" })).body).toMatchObject({ status: "awaiting_approval" });
    expect(armed).toEqual([]);
  });

  it("of a waiting post without a time is that of its first request", async () => {
    const { edit, ctx, readPosts } = await waitingPost();
    ctx.now = () => NOW + 5_000;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW }]);
  });

  it("of a post without a time is the instant of its approval", async () => {
    const { call, ctx, id, tag, readPosts } = await waitingPost();
    ctx.now = () => NOW + 5_000;
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW + 5_000 }]);
  });

  it("has the time zone of the workspace when it was last moved", async () => {
    const { edit, workspaceId, readPosts } = await createdPost({ publish_at: LATER });
    await db.update(workspaces).set({ timezone: "Asia/Tokyo" }).where(eq(workspaces.id, workspaceId));
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ timezone: "UTC" }]);
    await edit({ publish_at: at(NOW + 2 * HOUR_MS) });
    expect(await readPosts()).toMatchObject([{ timezone: "Asia/Tokyo" }]);
  });

  it("of a draft decides about its warnings", async () => {
    const parts = { channel: { tokenExpiresAt: NOW + 5_000 } };
    const { edit } = await createdPost({ draft: true, publish_at: LATER }, parts);
    const { body } = await edit({ text: "better" });
    expect(body.warnings).toMatchObject([1, 2].map(() => ({ code: "token_expires_before_publish_at" })));
  });
});

describe("the next slot of an edited post", () => {
  // The rechecks of X, ten minutes and a day later, are on one day if the post goes out in the last minutes of a day.
  const LATE = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "23:55", channels: null }));
  const SLOT = Math.floor(NOW / DAY_MS) * DAY_MS + DAY_MS - 5 * 60_000;
  const costs = async (body: object, patch?: object) => {
    const here = await workspaceOfTwo({ channel: { platform: "x" } });
    await here.call("slots.set", { body: { slots: LATE } });
    const id = await here.createOne(body);
    if (patch !== undefined) await here.call("posts.update", { id, body: patch });
    const [post] = await here.readPosts();
    return [post?.countedCost, ...(await here.readDeliveries()).map(({ rechecksCost }) => rechecksCost)];
  };

  it("has the costs of a post at that time", async () => {
    const inSlot = await costs({ draft: true }, { draft: false, publish_at: "next_slot" });
    expect(inSlot).toEqual(await costs({ publish_at: at(SLOT) }));
    expect(inSlot).not.toEqual(await costs({}));
  });
});

describe("a waiting post that is edited", () => {
  it("is judged like a post that is published, and is a draft again only if the caller says so", async () => {
    const { edit, readPosts } = await waitingPost();
    expect((await refusal(edit({ text: "" }))).code).toBe("text_required");
    await edit({ draft: true });
    expect((await edit({ text: "" })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ approval: null, dueAt: null }]);
  });

  it("takes the room of a draft", async () => {
    const { edit, workspaceId, readPosts } = await waitingPost();
    await edit({ text: `hello${"x".repeat(100)}` });
    const [post] = await readPosts();
    expect(post?.draftBytes).toBeGreaterThan(100);
    expect(await getWorkspace(db, workspaceId)).toMatchObject({ drafts: 1, draftBytes: post?.draftBytes });
  });

  it("tells endpoints who asks for approval now", async () => {
    const woken: unknown[] = [];
    const webhooks = { wake: async (_workspace: string, ids: string[]) => void woken.push(...ids) };
    const { edit, join, call, workspaceId } = await waitingPost({}, { outside: { webhooks } });
    const hook = { url: "https://hooks.example/crier", events: ["post.approval_requested"] };
    const { body } = await call("webhooks.create", { body: hook });
    const author = await join("author");
    await edit({ text: "better" }, { as: author });
    expect(woken).toEqual([body.id]);
    const stored = await db.select().from(events).where(eq(events.workspaceId, workspaceId)).orderBy(events.seq);
    expect(JSON.parse(stored.at(-1)?.body ?? "")).toMatchObject({
      actor: { id: author.userId },
      post: expect.anything(),
    });
  });
});

describe("an ordinary edit", () => {
  it("notifies nobody", async () => {
    const sent: unknown[] = [];
    const { edit } = await createdPost(
      {},
      {
        outside: {
          queue: { send: async (jobs) => void sent.push(...jobs) },
          webhooks: { wake: async (...call) => void sent.push(call) },
        },
      },
    );
    await edit({ text: "better" });
    expect(sent).toEqual([]);
  });

  it("of a post that has started says nothing of a status that would still allow it", async () => {
    const { edit, changeDelivery, first } = await createdPost({ publish_at: LATER });
    await changeDelivery(first, { startedAt: NOW });
    expect((await refusal(edit({ text: "better" }))).message).not.toContain("The post is");
  });
});

describe("a declined draft", () => {
  it("that is published without another approval keeps no trace of the decline", async () => {
    const { edit, call, id, readPosts } = await waitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect((await edit({ draft: false })).body).toMatchObject({ status: "queued" });
    expect(await readPosts()).toMatchObject([{ approval: null }]);
  });
});

describe("the files of an edited post", () => {
  it("are in use from then on, and known as they were inspected", async () => {
    const { createOne, call, upload } = await withImages();
    const post = await createOne({ draft: true, publish_at: LATER });
    const id = await upload(JPEG, "image/jpeg");
    await call("posts.update", { id: post, body: { media: [id], draft: false } });
    expect(await refusal(call("media.remove", { id }))).toMatchObject({ code: "media_in_use" });
    const [row] = await db.select().from(media).where(eq(media.id, id));
    expect(row).toMatchObject({ width: 1_000, etag: expect.any(String) });
  });

  it("are not converted while it is a draft, and a copy is forgotten with the release", async () => {
    const { createOne, call, id, requests, readPosts, post } = await withImages();
    const draft = await createOne({ draft: true, media: [id], media_fit: "adapt" });
    await call("posts.update", { id: draft, body: { text: "better" } });
    expect(requests).toEqual([]);
    const { body } = await post({ text: "second" });
    await call("posts.update", { id: String(body.id), body: { draft: true } });
    expect((await readPosts()).map(({ sentFiles }) => sentFiles)).toEqual([null, null]);
  });

  it("stay converted as they were when the post is approved", async () => {
    const parts = { ...BY_AUTHORS, channel: { platform: "instagram" } };
    const { post, call, readSentFiles, requests } = await withImages(undefined, parts);
    const { body } = await post({}, { scopes: ["draft"] });
    const sentFiles = await readSentFiles();
    const decision = { rev: 1, content_tag: body.content_tag };
    const approved = await call("posts.approve", { id: String(body.id), body: decision });
    expect(approved.body).toMatchObject({ status: "queued", content_tag: body.content_tag, rev: 1 });
    expect(sentFiles).toMatchObject([{ contentType: "image/jpeg" }, { contentType: "image/jpeg" }]);
    expect([await readSentFiles(), requests.length]).toEqual([sentFiles, 1]);
  });

  it("have another content tag than others, and none once the post has no files", async () => {
    const { edit, call, readPosts } = await createdPost({ draft: true });
    const tag = async () => (await readPosts())[0]?.contentTag;
    const without = await tag();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    await edit({ media: [body.id] });
    expect(await tag()).not.toBe(without);
    await edit({ media: [] });
    expect(await tag()).toBe(without);
  });
});
