// A post as a reviewer without an account sees it by its link, and the reviewer's answer.
import { and, eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import {
  HOUR_MS,
  PUBLISH_PAST_TOLERANCE_MS,
  REASON_LENGTH_MAX,
  REVIEW_LINK_LIFE_MS,
  REVIEWER_LENGTH_MAX,
} from "../../../../src/domain/limits.ts";
import { type Answer, answerReview, openReview } from "../../../../src/operations/posts/review.ts";
import { members, posts, reviewLinks } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

type Workspace = NonNullable<Parameters<typeof setUpWorkspace>[0]>["workspace"];

/** Creates a waiting post and a review link of an owner. */
async function setUpLinkedPost(body: object = {}, workspace: Workspace = {}) {
  const setup = await setUpWorkspace({ workspace: { approval: "all", ...workspace } });
  const { call, create, join, ctx, workspaceId } = setup;
  const [owner, writer] = [await join("owner"), await join("author")];
  const id = String((await create(body, { as: writer })).body.id);
  const { status, body: link } = await call("posts.create-review-link", { as: owner, id });
  expect(status).toBe(201);
  const url = String(link.url);
  const token = url.slice(url.lastIndexOf("/") + 1);
  const answer = (fields: Partial<Answer> = {}) =>
    answerReview(ctx, token, { decision: "approve", name: "Cleo", reason: "", userId: null, ...fields });
  const readLinks = async () => await db.select().from(reviewLinks).where(eq(reviewLinks.workspaceId, workspaceId));
  const isPost = and(eq(posts.workspaceId, workspaceId), eq(posts.id, id));
  const readPost = async () => (await db.select().from(posts).where(isPost))[0] ?? expect.fail("it is gone");
  return { ...setup, owner, writer, id, link, token, answer, readLinks, readPost, open: () => openReview(ctx, token) };
}

describe("a review link", () => {
  it("a review link stores the post's content tag and expires after a fixed time", async () => {
    const { link, token, readLinks, readPost, owner, workspaceId } = await setUpLinkedPost();
    const { id, contentTag } = await readPost();
    expect(link).toEqual({
      url: `https://crier.test/review/${token}`,
      expires_at: new Date(NOW + REVIEW_LINK_LIFE_MS).toISOString(),
    });
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await readLinks()).toMatchObject([
      {
        workspaceId,
        postId: id,
        rev: 1,
        contentTag,
        createdBy: owner.userId,
        createdAt: NOW,
        expiresAt: NOW + REVIEW_LINK_LIFE_MS,
      },
    ]);
  });

  it("a review link can be created only for a waiting post, by a key that may use its channels", async () => {
    const { call, create, owner, id, first } = await setUpLinkedPost();
    const { body: draft } = await create({ draft: true });
    const refused = await catchRefusal(call("posts.create-review-link", { as: owner, id: String(draft.id) }));
    expect(refused.code).toBe("post_not_waiting");
    expect(await catchRefusal(call("posts.create-review-link", { id, reach: [first] }))).toMatchObject({ status: 404 });
  });

  it("the last editor of a post cannot create a review link in a workspace with the four-eyes rule", async () => {
    const { call, create, owner } = await setUpLinkedPost({}, { fourEyes: true });
    const { body } = await create({}, { as: owner });
    const refused = await catchRefusal(call("posts.create-review-link", { as: owner, id: String(body.id) }));
    expect(refused.code).toBe("four_eyes");
  });

  it("a review link is closed once it is ended, and a key that may not use the channels cannot end it", async () => {
    const { call, owner, id, first, open } = await setUpLinkedPost();
    expect(await catchRefusal(call("posts.end-review-link", { id, reach: [first] }))).toMatchObject({ status: 404 });
    expect(await open()).toMatchObject({ is: "open" });
    expect(await call("posts.end-review-link", { as: owner, id })).toMatchObject({ status: 204 });
    expect(await open()).toEqual({ is: "closed" });
  });

  it("a review shows the post of each channel, in the order of the channels", async () => {
    const { open, first, second } = await setUpLinkedPost({ publish_at: new Date(NOW + HOUR_MS).toISOString() });
    const parts = [{ text: "hello", files: [] }];
    const channel = {
      platform: "telegram",
      name: null,
      publishAt: null,
      postType: null,
      parts,
      poll: null,
      thumbnail: [],
      options: [],
    };
    expect(await open()).toEqual({
      is: "open",
      brand: null,
      review: {
        channels: [
          { ...channel, handle: `@${first}` },
          { ...channel, handle: `@${second}` },
        ],
        publishAt: NOW + HOUR_MS,
        timezone: "UTC",
        repeat: null,
        isLate: false,
      },
    });
  });

  it("a review shows a channel's own text and options", async () => {
    const { create, call, owner, ctx, first, second } = await setUpLinkedPost();
    const overrides = { [first]: { text: "mine", silent: true }, [second]: { thread: [] } };
    const { body } = await create({ overrides }, { as: owner });
    const { body: link } = await call("posts.create-review-link", { as: owner, id: String(body.id) });
    const opened = await openReview(ctx, String(link.url).slice("https://crier.test/review/".length));
    expect(opened).toMatchObject({
      review: {
        channels: [
          { parts: [{ text: "mine" }], options: [["silent", true]] },
          { parts: [{ text: "hello" }], options: [] },
        ],
      },
    });
  });

  it("a review leaves out a disconnected channel", async () => {
    const { open, call, owner, first, second } = await setUpLinkedPost();
    await call("channels.disconnect", { as: owner, id: first });
    expect(await open()).toMatchObject({ review: { channels: [{ handle: `@${second}` }] } });
  });

  it("a review marks a post as late once its time has passed by more than the tolerance", async () => {
    const { open, id } = await setUpLinkedPost();
    const isLateAt = async (publishAt: number | null) => {
      await db.update(posts).set({ publishAt }).where(eq(posts.id, id));
      const opened = await open();
      return opened.is === "open" ? opened.review.isLate : opened;
    };
    expect(await isLateAt(null)).toBe(false);
    expect(await isLateAt(NOW - PUBLISH_PAST_TOLERANCE_MS)).toBe(false);
    expect(await isLateAt(NOW - PUBLISH_PAST_TOLERANCE_MS - 1)).toBe(true);
  });

  it("a review leaves out a channel of an unknown network, and shows the type of the post", async () => {
    const { open, first, second, changeChannel, id } = await setUpLinkedPost();
    await changeChannel(first, { platform: "myspace" });
    await changeChannel(second, { platform: "instagram" });
    await db.update(posts).set({ postType: "story" }).where(eq(posts.id, id));
    expect(await open()).toMatchObject({ review: { channels: [{ handle: `@${second}`, postType: "story" }] } });
  });

  it("a review link is closed once its post is approved or deleted, and reports a cancelled post as changed", async () => {
    const cancelled = await setUpLinkedPost();
    await cancelled.call("posts.remove", { as: cancelled.owner, id: cancelled.id });
    expect(await cancelled.open()).toEqual({ is: "changed" });
    const approved = await setUpLinkedPost();
    const body = { rev: 1, content_tag: (await approved.readPost()).contentTag };
    await approved.call("posts.approve", { as: approved.owner, id: approved.id, body });
    expect(await approved.open()).toEqual({ is: "closed" });
    const deleted = await setUpLinkedPost();
    await db.delete(posts).where(eq(posts.id, deleted.id));
    expect(await deleted.open()).toEqual({ is: "closed" });
  });

  it("a review link with an unknown token is closed", async () => {
    const { ctx } = await setUpLinkedPost();
    expect(await openReview(ctx, "A".repeat(43))).toEqual({ is: "closed" });
    expect(await answerReview(ctx, "", { decision: "approve", name: "Cleo", reason: "", userId: null })).toEqual({
      is: "closed",
    });
  });

  it("a review link is closed once its creator may no longer publish", async () => {
    const { open, answer, owner, readPost } = await setUpLinkedPost();
    await db.update(members).set({ role: "author" }).where(eq(members.userId, owner.userId));
    expect([await open(), await answer()]).toEqual([{ is: "closed" }, { is: "closed" }]);
    expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
  });

  it("a review link reports a post of another revision as changed, even with the same content", async () => {
    const { open, call, owner, id, readPost } = await setUpLinkedPost();
    const { contentTag } = await readPost();
    await call("posts.update", { as: owner, id, body: { labels: ["x"] } });
    expect(await readPost()).toMatchObject({ contentTag, revision: 2 });
    expect(await open()).toEqual({ is: "changed" });
  });

  it("a review link reports an edited post, or one with another content tag, as changed", async () => {
    const { open, answer, call, owner, id } = await setUpLinkedPost();
    await db.update(posts).set({ contentTag: "other" }).where(eq(posts.id, id));
    expect(await open()).toEqual({ is: "changed" });
    await call("posts.update", { as: owner, id, body: { text: "better" } });
    expect([await open(), await answer()]).toEqual([{ is: "changed" }, { is: "changed" }]);
  });
});

describe("a reviewer's answer", () => {
  it("a reviewer can approve the post in their name, which ends the link", async () => {
    const { answer, readPost, readLinks, open, writer, armed } = await setUpLinkedPost();
    expect(await answer({ name: "  Cleo " })).toEqual({
      is: "approved",
      brand: null,
      dueAt: new Date(NOW).toISOString(),
    });
    expect(await readPost()).toMatchObject({
      approval: { state: "approved", by: "Cleo", reason: null, rev: 1 },
      author: { id: writer.userId },
      authorUserId: writer.userId,
    });
    expect(armed).toHaveLength(2);
    expect([await readLinks(), await open()]).toEqual([[], { is: "closed" }]);
  });

  it("a reviewer can decline the post with a reason, which ends the link", async () => {
    const { answer, readPost, readLinks, armed } = await setUpLinkedPost();
    expect(await answer({ decision: "decline", reason: "too\r\nlong" })).toEqual({ is: "declined", brand: null });
    expect(await readPost()).toMatchObject({
      status: "draft",
      approval: { state: "declined", by: "Cleo", reason: "too\nlong" },
    });
    expect([await readLinks(), armed]).toEqual([[], []]);
  });

  it.each([
    ["no name", { name: " " }, "name"],
    ["a name of control characters", { name: "Cl\neo" }, "name"],
    ["a name that is too long", { name: "c".repeat(REVIEWER_LENGTH_MAX + 1) }, "name"],
    ["no reason", { decision: "decline", reason: " \n" }, "reason"],
    ["a reason that is too long", { decision: "decline", reason: "r".repeat(REASON_LENGTH_MAX + 1) }, "reason"],
    ["a reason with a null character", { decision: "decline", reason: "a\0b" }, "reason"],
  ] as const)(
    "a reviewer's answer with %s is rejected, and the link stays open",
    async (_mistake, invalidFields, field) => {
      const { answer, readPost, open } = await setUpLinkedPost();
      expect(await answer(invalidFields)).toEqual({ is: "unreadable", field });
      expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
      expect(await open()).toMatchObject({ is: "open" });
    },
  );

  it("a reviewer's approval is refused if the post can no longer be scheduled, and the link stays open", async () => {
    const { answer, id, open } = await setUpLinkedPost();
    await db
      .update(posts)
      .set({ publishAt: NOW - HOUR_MS })
      .where(eq(posts.id, id));
    expect(await answer()).toEqual({ is: "refused" });
    expect(await open()).toMatchObject({ is: "open" });
  });

  it("a reviewer's answer may have the longest name and reason, and spaces around the name", async () => {
    const { answer, readPost } = await setUpLinkedPost();
    const [name, reason] = ["c".repeat(REVIEWER_LENGTH_MAX), "r".repeat(REASON_LENGTH_MAX)];
    expect(await answer({ decision: "decline", name: `  ${name} `, reason })).toEqual({ is: "declined", brand: null });
    expect((await readPost()).approval).toMatchObject({ by: name, reason });
  });

  it("the last editor of a post cannot approve it by a review link", async () => {
    const { answer, writer, owner, readPost } = await setUpLinkedPost({}, { fourEyes: true });
    expect(await answer({ userId: writer.userId })).toEqual({ is: "own_change" });
    expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
    expect(await answer({ userId: owner.userId })).toMatchObject({ is: "approved" });
  });

  it("a reviewer's approval is refused if the link's creator has edited the post since", async () => {
    const { answer, owner, id } = await setUpLinkedPost({}, { fourEyes: true });
    await db.update(posts).set({ authorUserId: owner.userId }).where(eq(posts.id, id));
    expect(await answer()).toEqual({ is: "own_change" });
  });
});
