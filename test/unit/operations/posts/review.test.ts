// A post as somebody without an account sees it by its link, and what becomes of their answer.
import { eq } from "drizzle-orm";
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
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

type Workspace = NonNullable<Parameters<typeof workspaceOfTwo>[0]>["workspace"];

/** A post that waits, and a link to it that an owner has made. */
async function linkedPost(body: object = {}, workspace: Workspace = {}) {
  const here = await workspaceOfTwo({ workspace: { approval: "all", ...workspace } });
  const { call, create, join, ctx, workspaceId } = here;
  const [owner, writer] = [await join("owner"), await join("author")];
  const id = String((await create(body, { as: writer })).body.id);
  const { status, body: made } = await call("posts.create-review-link", { as: owner, id });
  expect(status).toBe(201);
  const url = String(made.url);
  const token = url.slice(url.lastIndexOf("/") + 1);
  const answer = (given: Partial<Answer> = {}) =>
    answerReview(ctx, token, { decision: "approve", name: "Cleo", reason: "", userId: null, ...given });
  const readLinks = async () => await db.select().from(reviewLinks).where(eq(reviewLinks.workspaceId, workspaceId));
  const readPost = async () => (await db.select().from(posts).where(eq(posts.id, id)))[0] ?? expect.fail("it is gone");
  return { ...here, owner, writer, id, made, token, answer, readLinks, readPost, open: () => openReview(ctx, token) };
}

describe("a review link", () => {
  it("is of the post's revision and content, and good for its time", async () => {
    const { made, token, readLinks, readPost, owner, workspaceId } = await linkedPost();
    const { id, contentTag } = await readPost();
    expect(made).toEqual({
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

  it("is made for a post that waits, and for no other, and not beyond the reach of a key", async () => {
    const { call, create, owner, id, first } = await linkedPost();
    const { body: draft } = await create({ draft: true });
    const refused = await refusal(call("posts.create-review-link", { as: owner, id: String(draft.id) }));
    expect(refused.code).toBe("post_not_waiting");
    expect(await refusal(call("posts.create-review-link", { id, reach: [first] }))).toMatchObject({ status: 404 });
  });

  it("is not made by who changed the post last, where the workspace asks for two people", async () => {
    const { call, create, owner } = await linkedPost({}, { fourEyes: true });
    const { body } = await create({}, { as: owner });
    const refused = await refusal(call("posts.create-review-link", { as: owner, id: String(body.id) }));
    expect(refused.code).toBe("four_eyes");
  });

  it("is over once it is ended, and ends for nobody beyond the reach of the post", async () => {
    const { call, owner, id, first, open } = await linkedPost();
    expect(await refusal(call("posts.end-review-link", { id, reach: [first] }))).toMatchObject({ status: 404 });
    expect(await open()).toMatchObject({ is: "open" });
    expect(await call("posts.end-review-link", { as: owner, id })).toMatchObject({ status: 204 });
    expect(await open()).toEqual({ is: "closed" });
  });

  it("shows what each channel would publish, in the order of the channels", async () => {
    const { open, first, second } = await linkedPost({ publish_at: new Date(NOW + HOUR_MS).toISOString() });
    const parts = [{ text: "hello", files: [] }];
    const channel = { platform: "telegram", name: null, postType: null, parts, thumbnail: [], options: [] };
    expect(await open()).toEqual({
      is: "open",
      review: {
        channels: [
          { ...channel, handle: `@${first}` },
          { ...channel, handle: `@${second}` },
        ],
        publishAt: NOW + HOUR_MS,
        timezone: "UTC",
        isLate: false,
      },
    });
  });

  it("shows a channel's own text and options, and the thread of another", async () => {
    const { create, call, owner, ctx, first, second } = await linkedPost();
    const overrides = { [first]: { text: "mine", silent: true }, [second]: { thread: [] } };
    const { body } = await create({ overrides }, { as: owner });
    const { body: made } = await call("posts.create-review-link", { as: owner, id: String(body.id) });
    const opened = await openReview(ctx, String(made.url).slice("https://crier.test/review/".length));
    expect(opened).toMatchObject({
      review: {
        channels: [
          { parts: [{ text: "mine" }], options: [["silent", true]] },
          { parts: [{ text: "hello" }], options: [] },
        ],
      },
    });
  });

  it("leaves out a channel that is gone", async () => {
    const { open, call, owner, first, second } = await linkedPost();
    await call("channels.disconnect", { as: owner, id: first });
    expect(await open()).toMatchObject({ review: { channels: [{ handle: `@${second}` }] } });
  });

  it("says that a post is late only once its time is past what is tolerated", async () => {
    const { open, id } = await linkedPost();
    const isLateAt = async (publishAt: number | null) => {
      await db.update(posts).set({ publishAt }).where(eq(posts.id, id));
      const opened = await open();
      return opened.is === "open" ? opened.review.isLate : opened;
    };
    expect(await isLateAt(null)).toBe(false);
    expect(await isLateAt(NOW - PUBLISH_PAST_TOLERANCE_MS)).toBe(false);
    expect(await isLateAt(NOW - PUBLISH_PAST_TOLERANCE_MS - 1)).toBe(true);
  });

  it("leaves out a channel whose network is gone, and shows the type of a post", async () => {
    const { open, first, second, changeChannel, id } = await linkedPost();
    await changeChannel(first, { platform: "myspace" });
    await changeChannel(second, { platform: "instagram" });
    await db.update(posts).set({ postType: "story" }).where(eq(posts.id, id));
    expect(await open()).toMatchObject({ review: { channels: [{ handle: `@${second}`, postType: "story" }] } });
  });

  it("is closed once its post was approved, or is gone, and says that a cancelled one has changed", async () => {
    const cancelled = await linkedPost();
    await cancelled.call("posts.remove", { as: cancelled.owner, id: cancelled.id });
    expect(await cancelled.open()).toEqual({ is: "changed" });
    const approved = await linkedPost();
    const body = { rev: 1, content_tag: (await approved.readPost()).contentTag };
    await approved.call("posts.approve", { as: approved.owner, id: approved.id, body });
    expect(await approved.open()).toEqual({ is: "closed" });
    const gone = await linkedPost();
    await db.delete(posts).where(eq(posts.id, gone.id));
    expect(await gone.open()).toEqual({ is: "closed" });
  });

  it("is closed for a token that nobody made", async () => {
    const { ctx } = await linkedPost();
    expect(await openReview(ctx, "A".repeat(43))).toEqual({ is: "closed" });
    expect(await answerReview(ctx, "", { decision: "approve", name: "Cleo", reason: "", userId: null })).toEqual({
      is: "closed",
    });
  });

  it("is closed once its maker may publish no more", async () => {
    const { open, answer, owner, readPost } = await linkedPost();
    await db.update(members).set({ role: "author" }).where(eq(members.userId, owner.userId));
    expect([await open(), await answer()]).toEqual([{ is: "closed" }, { is: "closed" }]);
    expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
  });

  it("says that the post has changed at another revision, even of the same content", async () => {
    const { open, call, owner, id, readPost } = await linkedPost();
    const { contentTag } = await readPost();
    await call("posts.update", { as: owner, id, body: { labels: ["x"] } });
    expect(await readPost()).toMatchObject({ contentTag, revision: 2 });
    expect(await open()).toEqual({ is: "changed" });
  });

  it("says that the post has changed once it was edited, or has another content", async () => {
    const { open, answer, call, owner, id } = await linkedPost();
    await db.update(posts).set({ contentTag: "other" }).where(eq(posts.id, id));
    expect(await open()).toEqual({ is: "changed" });
    await call("posts.update", { as: owner, id, body: { text: "better" } });
    expect([await open(), await answer()]).toEqual([{ is: "changed" }, { is: "changed" }]);
  });
});

describe("a reviewer's answer", () => {
  it("approves the post in their name, and ends the link", async () => {
    const { answer, readPost, readLinks, open, writer, armed } = await linkedPost();
    expect(await answer({ name: "  Cleo " })).toEqual({ is: "approved", dueAt: new Date(NOW).toISOString() });
    expect(await readPost()).toMatchObject({
      approval: { state: "approved", by: "Cleo", reason: null, rev: 1 },
      author: { id: writer.userId },
      authorUserId: writer.userId,
    });
    expect(armed).toHaveLength(2);
    expect([await readLinks(), await open()]).toEqual([[], { is: "closed" }]);
  });

  it("declines the post with their reason, and ends the link", async () => {
    const { answer, readPost, readLinks, armed } = await linkedPost();
    expect(await answer({ decision: "decline", reason: "too\r\nlong" })).toEqual({ is: "declined" });
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
  ] as const)("with %s is not taken, and the link stays", async (_what, given, field) => {
    const { answer, readPost, open } = await linkedPost();
    expect(await answer(given)).toEqual({ is: "unreadable", field });
    expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
    expect(await open()).toMatchObject({ is: "open" });
  });

  it("is refused where the post cannot be scheduled any more, and the link stays", async () => {
    const { answer, id, open } = await linkedPost();
    await db
      .update(posts)
      .set({ publishAt: NOW - HOUR_MS })
      .where(eq(posts.id, id));
    expect(await answer()).toEqual({ is: "refused" });
    expect(await open()).toMatchObject({ is: "open" });
  });

  it("takes the longest name and the longest reason, and white space around a name", async () => {
    const { answer, readPost } = await linkedPost();
    const [name, reason] = ["c".repeat(REVIEWER_LENGTH_MAX), "r".repeat(REASON_LENGTH_MAX)];
    expect(await answer({ decision: "decline", name: `  ${name} `, reason })).toEqual({ is: "declined" });
    expect((await readPost()).approval).toMatchObject({ by: name, reason });
  });

  it("does not approve for the person who changed the post last", async () => {
    const { answer, writer, owner, readPost } = await linkedPost({}, { fourEyes: true });
    expect(await answer({ userId: writer.userId })).toEqual({ is: "own_change" });
    expect(await readPost()).toMatchObject({ status: "awaiting_approval" });
    expect(await answer({ userId: owner.userId })).toMatchObject({ is: "approved" });
  });

  it("counts as the maker's, who may have changed the post since the link was made for it", async () => {
    const { answer, owner, id } = await linkedPost({}, { fourEyes: true });
    await db.update(posts).set({ authorUserId: owner.userId }).where(eq(posts.id, id));
    expect(await answer()).toEqual({ is: "own_change" });
  });
});
