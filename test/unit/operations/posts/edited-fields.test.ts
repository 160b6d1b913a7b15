// Further fields that an edit writes: times, counts, costs, files and events.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { getWorkspace } from "../../../../src/store/accounts/workspaces.ts";
import { events, media, workspaces } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { setUpPost } from "./created-post.ts";
import { JPEG, setUpImages } from "./with-images.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const toIso = (ms: number) => new Date(ms).toISOString();
const LATER = toIso(NOW + HOUR_MS);
const BY_AUTHORS = { workspace: { approval: "authors" } } as const;

/** Creates a post that waits for approval. */
async function createWaitingPost(body: object = {}, parts: Parameters<typeof setUpWorkspace>[0] = {}) {
  const workspace = await setUpWorkspace({ ...BY_AUTHORS, ...parts });
  const { body: post } = await workspace.create(body, { scopes: ["draft"] });
  const id = String(post.id);
  const edit = (patch: object, fields: object = {}) => workspace.call("posts.update", { id, body: patch, ...fields });
  return { ...workspace, id, edit, tag: post.content_tag };
}

describe("the time of a post", () => {
  it("an edited post whose time has passed is due now", async () => {
    const { edit, ctx, readPosts } = await setUpPost({ publish_at: LATER });
    ctx.now = () => NOW + 3 * HOUR_MS;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ publishAt: NOW + HOUR_MS, dueAt: NOW + 3 * HOUR_MS }]);
  });

  it("an edited post without a time has none afterwards", async () => {
    const { edit, readPosts } = await setUpPost();
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW }]);
  });

  it("an edit of a waiting post does not check its time again, and wakes no publisher", async () => {
    const { edit, ctx, armed, readPosts } = await createWaitingPost({ publish_at: LATER });
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW + HOUR_MS, countedMonth: null }]);
    ctx.now = () => NOW + 3 * HOUR_MS;
    expect((await edit({ text: "late" })).body).toMatchObject({ status: "awaiting_approval" });
    expect(armed).toEqual([]);
  });

  it("a waiting post without a time stays due from its first request", async () => {
    const { edit, ctx, readPosts } = await createWaitingPost();
    ctx.now = () => NOW + 5_000;
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ dueAt: NOW }]);
  });

  it("an approved post without a time is due at the instant of its approval", async () => {
    const { call, ctx, id, tag, readPosts } = await createWaitingPost();
    ctx.now = () => NOW + 5_000;
    await call("posts.approve", { id, body: { rev: 1, content_tag: tag } });
    expect(await readPosts()).toMatchObject([{ publishAt: null, dueAt: NOW + 5_000 }]);
  });

  it("a post has the time zone of the workspace from when its time was last changed", async () => {
    const { edit, workspaceId, readPosts } = await setUpPost({ publish_at: LATER });
    await db.update(workspaces).set({ timezone: "Asia/Tokyo" }).where(eq(workspaces.id, workspaceId));
    await edit({ text: "better" });
    expect(await readPosts()).toMatchObject([{ timezone: "UTC" }]);
    await edit({ publish_at: toIso(NOW + 2 * HOUR_MS) });
    expect(await readPosts()).toMatchObject([{ timezone: "Asia/Tokyo" }]);
  });

  it("the time of a draft determines its warnings", async () => {
    const parts = { channel: { tokenExpiresAt: NOW + 5_000 } };
    const { edit } = await setUpPost({ draft: true, publish_at: LATER }, parts);
    const { body } = await edit({ text: "better" });
    expect(body.warnings).toMatchObject([1, 2].map(() => ({ code: "token_expires_before_publish_at" })));
  });
});

describe("the next slot of an edited post", () => {
  // X is rechecked after ten minutes and after a day. Both are on one day if the post is published in the last minutes of a day.
  const LATE = [1, 2, 3, 4, 5, 6, 7].map((weekday) => ({ weekday, time: "23:55", channels: null }));
  const SLOT = Math.floor(NOW / DAY_MS) * DAY_MS + DAY_MS - 5 * 60_000;
  const readCosts = async (body: object, patch?: object) => {
    const pricedWorkspace = await setUpWorkspace({ channel: { platform: "x" } });
    await pricedWorkspace.call("slots.set", { body: { slots: LATE } });
    const id = await pricedWorkspace.createOne(body);
    if (patch !== undefined) await pricedWorkspace.call("posts.update", { id, body: patch });
    const [post] = await pricedWorkspace.readPosts();
    return [post?.countedCost, ...(await pricedWorkspace.readDeliveries()).map(({ terms }) => terms?.cost?.rechecks)];
  };

  it("a post that an edit moves to the next slot has the costs of a post at that time", async () => {
    const inSlot = await readCosts({ draft: true }, { draft: false, publish_at: "next_slot" });
    expect(inSlot).toEqual(await readCosts({ publish_at: toIso(SLOT) }));
    expect(inSlot).not.toEqual(await readCosts({}));
  });
});

describe("a waiting post that is edited", () => {
  it("a waiting post is checked like a published one, and becomes a draft only if the caller requests it", async () => {
    const { edit, readPosts } = await createWaitingPost();
    expect((await catchRefusal(edit({ text: "" }))).code).toBe("text_required");
    await edit({ draft: true });
    expect((await edit({ text: "" })).body).toMatchObject({ status: "draft" });
    expect(await readPosts()).toMatchObject([{ approval: null, dueAt: null }]);
  });

  it("an edited waiting post counts towards the room for drafts", async () => {
    const { edit, workspaceId, readPosts } = await createWaitingPost();
    await edit({ text: `hello${"x".repeat(100)}` });
    const [post] = await readPosts();
    expect(post?.draftBytes).toBeGreaterThan(100);
    expect(await getWorkspace(db, workspaceId)).toMatchObject({ drafts: 1, draftBytes: post?.draftBytes });
  });

  it("the event of an edited waiting post names the editor as its author", async () => {
    const woken: unknown[] = [];
    const webhooks = { wake: async (_workspace: string, ids: string[]) => void woken.push(...ids) };
    const { edit, join, call, workspaceId } = await createWaitingPost({}, { outside: { webhooks } });
    const endpoint = { url: "https://hooks.example/crier", events: ["post.approval_requested"] };
    const { body } = await call("webhooks.create", { body: endpoint });
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
  it("an ordinary edit sends no notification and no event", async () => {
    const calls: unknown[] = [];
    const { edit } = await setUpPost(
      {},
      {
        outside: {
          queue: { send: async (jobs) => void calls.push(...jobs) },
          webhooks: { wake: async (...call) => void calls.push(call) },
        },
      },
    );
    await edit({ text: "better" });
    expect(calls).toEqual([]);
  });

  it("the refusal to edit a post that is being sent does not name a status in which edits are allowed", async () => {
    const { edit, changeDelivery, first } = await setUpPost({ publish_at: LATER });
    await changeDelivery(first, { startedAt: NOW });
    expect((await catchRefusal(edit({ text: "better" }))).message).not.toContain("The post is");
  });
});

describe("a declined draft", () => {
  it("a declined draft that is published without another approval has no approval state", async () => {
    const { edit, call, id, readPosts } = await createWaitingPost();
    await call("posts.decline", { id, body: { rev: 1, reason: "too long" } });
    expect((await edit({ draft: false })).body).toMatchObject({ status: "queued" });
    expect(await readPosts()).toMatchObject([{ approval: null }]);
  });
});

describe("the files of an edited post", () => {
  it("files that an edit adds are inspected and marked as used", async () => {
    const { createOne, call, upload } = await setUpImages();
    const post = await createOne({ draft: true, publish_at: LATER });
    const id = await upload(JPEG, "image/jpeg");
    await call("posts.update", { id: post, body: { media: [id], draft: false } });
    expect(await catchRefusal(call("media.remove", { id }))).toMatchObject({ code: "media_in_use" });
    const [row] = await db.select().from(media).where(eq(media.id, id));
    expect(row).toMatchObject({ width: 1_000, etag: expect.any(String) });
  });

  it("the files of a draft are not converted, and a post that becomes a draft loses its copies", async () => {
    const { createOne, call, id, requests, readPosts, post } = await setUpImages();
    const draft = await createOne({ draft: true, media: [id], media_fit: "adapt" });
    await call("posts.update", { id: draft, body: { text: "better" } });
    expect(requests).toEqual([]);
    const { body } = await post({ text: "second" });
    await call("posts.update", { id: String(body.id), body: { draft: true } });
    expect((await readPosts()).map(({ sentFiles }) => sentFiles)).toEqual([null, null]);
  });

  it("the converted files of a post do not change when it is approved", async () => {
    const parts = { ...BY_AUTHORS, channel: { platform: "instagram" } };
    const { post, call, readSentFiles, requests } = await setUpImages(undefined, parts);
    const { body } = await post({}, { scopes: ["draft"] });
    const sentFiles = await readSentFiles();
    const decision = { rev: 1, content_tag: body.content_tag };
    const approved = await call("posts.approve", { id: String(body.id), body: decision });
    expect(approved.body).toMatchObject({ status: "queued", content_tag: body.content_tag, rev: 1 });
    expect(sentFiles).toMatchObject([{ contentType: "image/jpeg" }, { contentType: "image/jpeg" }]);
    expect([await readSentFiles(), requests.length]).toEqual([sentFiles, 1]);
  });

  it("adding a file changes the content tag, and removing it restores the tag", async () => {
    const { edit, call, readPosts } = await setUpPost({ draft: true });
    const tag = async () => (await readPosts())[0]?.contentTag;
    const without = await tag();
    const { body } = await call("media.register", { body: { url: "https://files.example/a.jpg", kind: "image" } });
    await edit({ media: [body.id] });
    expect(await tag()).not.toBe(without);
    await edit({ media: [] });
    expect(await tag()).toBe(without);
  });
});
