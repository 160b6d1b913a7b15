// Lists of posts and labels: pages, filters, dates in the workspace's time zone, and the posts that a caller may see.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { posts } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { catchRefusal, setUpWorkspace } from "./workspace-of-two.ts";

const toIso = (ms: number) => new Date(ms).toISOString();

/** Creates posts with these texts, the second with only one channel, and returns functions that list them. */
async function setUpList(texts: string[], workspace: object = {}) {
  const setup = await setUpWorkspace({ workspace });
  const { create, call, second } = setup;
  let createdCount = 0;
  for (const text of texts) {
    const fields = createdCount === 1 ? { channels: [second] } : {};
    // Each post is created a moment after the previous one, and is due earlier.
    setup.ctx.now = () => NOW + createdCount;
    await create({ text, labels: [text], publish_at: toIso(NOW + DAY_MS - createdCount * HOUR_MS), ...fields });
    createdCount++;
  }
  const list = async (query: object = {}, options: object = {}) => {
    const { body } = await call("posts.list", { query, ...options });
    const page = Array.isArray(body.posts) ? body.posts.map((post) => Object(post).text) : expect.fail("no page");
    return { texts: page, next: body.next, lookedThrough: body.looked_through };
  };
  const readPages = async (query: object, options: object = {}) => {
    const pages: string[][] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const page = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) }, options);
      pages.push(page.texts);
      cursor = page.next;
    }
    return pages;
  };
  return { ...setup, list, readPages };
}

describe("a list of posts", () => {
  it("a list of posts is returned page by page, newest first, with each post once", async () => {
    const { list, readPages } = await setUpList(["a", "b", "c"]);
    expect(await list()).toEqual({ texts: ["c", "b", "a"], next: null, lookedThrough: null });
    expect(await readPages({ limit: "2" })).toEqual([["c", "b"], ["a"]]);
    expect(await readPages({ limit: "3" })).toEqual([["c", "b", "a"]]);
  });

  it("a list of posts is ordered by time on request, on all pages", async () => {
    const { readPages } = await setUpList(["a", "b", "c"]);
    expect(await readPages({ order: "due", limit: "1" })).toEqual([["c"], ["b"], ["a"]]);
  });

  it("a list of posts rejects a cursor of another order and an invalid cursor", async () => {
    const { list } = await setUpList(["a", "b"]);
    const { next } = await list({ limit: "1" });
    const [byDue, broken] = [{ order: "due", cursor: next }, { cursor: "???" }];
    for (const query of [byDue, broken]) {
      expect(await catchRefusal(list(query))).toMatchObject({
        code: "unreadable_cursor",
        detail: { field: "/cursor" },
      });
    }
    const odd = btoa("due 12 post_x").replaceAll("=", "");
    expect(await catchRefusal(list({ order: "due", cursor: odd }))).toMatchObject({ code: "unreadable_cursor" });
  });

  it("a list contains only posts that the caller may see, and the number of searched posts", async () => {
    const { list, readPages, second, first } = await setUpList(["a", "b", "c"]);
    expect(await list({}, { reach: [second] })).toEqual({ texts: ["b"], next: null, lookedThrough: 3 });
    expect(await readPages({ limit: "1" }, { reach: [first, second] })).toEqual([["c"], ["b"], ["a"]]);
    expect((await list({}, { reach: [] })).texts).toEqual([]);
  });

  it("a search finds posts with all words in any case, including posts that an earlier release stored without words", async () => {
    const { list, workspaceId } = await setUpList(["Red engine", "red car", "engines"]);
    expect((await list({ q: "RED" })).texts).toEqual(["red car", "Red engine"]);
    expect(await list({ q: "engine red" })).toMatchObject({ texts: ["Red engine"], lookedThrough: 3 });
    await db.update(posts).set({ words: null }).where(eq(posts.workspaceId, workspaceId));
    expect((await list({ q: "engine red" })).texts).toEqual(["Red engine"]);
    expect((await list({ q: "engine" })).texts).toEqual(["Red engine"]);
  });

  it("a list can be filtered by a range of dates in the workspace's time zone", async () => {
    const { list } = await setUpList(["a", "b", "c"], { timezone: "Pacific/Auckland" });
    const toDueTime = (hours: number) => toIso(NOW + DAY_MS - hours * HOUR_MS);
    expect((await list({ from: toDueTime(1) })).texts).toEqual(["b", "a"]);
    expect((await list({ to: toDueTime(1) })).texts).toEqual(["c"]);
    expect((await list({ from: toDueTime(1), to: toDueTime(0) })).texts).toEqual(["b"]);
    // Auckland is 13 hours ahead, so the day of the first two posts has begun there.
    const [day] = toIso(NOW + DAY_MS + 13 * HOUR_MS).split("T");
    expect((await list({ from: day })).texts).toEqual(["c", "b", "a"]);
    expect((await list({ to: day })).texts).toEqual([]);
    expect((await list({ from: "0000-01-01" })).texts).toHaveLength(3);
    expect(await catchRefusal(list({ to: "soon" }))).toMatchObject({ detail: { field: "/to" } });
    expect(await catchRefusal(list({ from: "soon" }))).toMatchObject({ detail: { field: "/from" } });
  });

  it("a list can be filtered by status, channel, platform, label, file and author, and by several of them", async () => {
    const { list, first, second, create } = await setUpList(["a", "b"]);
    await create({ draft: true, text: "draft" });
    const texts = async (query: object) => (await list(query)).texts;
    expect(await texts({ status: "draft" })).toEqual(["draft"]);
    expect(await texts({ channel: first })).toEqual(["a"]);
    expect(await texts({ channel: second })).toEqual(["b", "a"]);
    expect([await texts({ platform: "telegram" }), await texts({ platform: "x" })]).toEqual([["b", "a"], []]);
    expect([await texts({ label: "b" }), await texts({ label: "c" })]).toEqual([["b"], []]);
    expect([await texts({ author: "key_1" }), await texts({ author: "key_2" })]).toEqual([["b", "a"], []]);
    expect(await texts({ media: "med_01hzx0000000000000000000ab" })).toEqual([]);
    expect(await texts({ channel: second, label: "a", status: "scheduled" })).toEqual(["a"]);
  });
});

describe("a post", () => {
  it("a post is visible only to callers who may use all its channels", async () => {
    const { call, createOne, first } = await setUpWorkspace();
    const id = await createOne();
    expect((await call("posts.get", { id })).body).toMatchObject({ id, text: "hello" });
    const message = "Not found: no post with this id in this workspace.";
    expect(await catchRefusal(call("posts.get", { id, reach: [first] }))).toMatchObject({ status: 404, message });
  });
});

describe("the labels of a workspace", () => {
  it("the labels of a workspace are listed by name with the number of their posts, page by page", async () => {
    const { call, create } = await setUpWorkspace();
    for (const labels of [
      ["a", "b"],
      ["b", "c"],
    ])
      await create({ text: labels.join(""), labels });
    const list = async (query: object) => (await call("posts.labels", { query })).body;
    const [a, b, c] = [1, 2, 1].map((count, i) => ({ name: "abc"[i], posts: count }));
    expect(await list({})).toEqual({ labels: [a, b, c], next: null });
    const first = await list({ limit: "2" });
    expect(first.labels).toEqual([a, b]);
    expect(await list({ limit: "2", cursor: first.next })).toEqual({ labels: [c], next: null });
    expect(await list({ limit: "3" })).toMatchObject({ next: null });
    expect(await catchRefusal(call("posts.labels", { query: { cursor: "???" } }))).toMatchObject({
      code: "unreadable_cursor",
    });
  });
});
