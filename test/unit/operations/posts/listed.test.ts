// Posts and labels as they are listed: pages that follow one another, filters, dates on the workspace's clock, and whose posts are shown.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { DAY_MS, HOUR_MS } from "../../../../src/domain/limits.ts";
import { posts } from "../../../../src/store/db/schema.ts";
import { db, NOW } from "../../store/deliveries/stored-delivery.ts";
import { refusal, workspaceOfTwo } from "./workspace-of-two.ts";

const at = (ms: number) => new Date(ms).toISOString();

/** Posts with these texts, the second of them with one channel, and how a caller lists them. */
async function listed(texts: string[], workspace: object = {}) {
  const here = await workspaceOfTwo({ workspace });
  const { create, call, second } = here;
  let made = 0;
  for (const text of texts) {
    const alone = made === 1 ? { channels: [second] } : {};
    // Each is made a moment after the one before, and is due the sooner the later it was made.
    here.ctx.now = () => NOW + made;
    await create({ text, labels: [text], publish_at: at(NOW + DAY_MS - made * HOUR_MS), ...alone });
    made++;
  }
  const list = async (query: object = {}, more: object = {}) => {
    const { body } = await call("posts.list", { query, ...more });
    const page = Array.isArray(body.posts) ? body.posts.map((post) => Object(post).text) : expect.fail("no page");
    return { texts: page, next: body.next, lookedThrough: body.looked_through };
  };
  const readPages = async (query: object, more: object = {}) => {
    const pages: string[][] = [];
    for (let cursor: unknown; cursor !== null; ) {
      const page = await list({ ...query, ...(cursor === undefined ? {} : { cursor }) }, more);
      pages.push(page.texts);
      cursor = page.next;
    }
    return pages;
  };
  return { ...here, list, readPages };
}

describe("a list of posts", () => {
  it("is returned page by page, newest first, with each post once", async () => {
    const { list, readPages } = await listed(["a", "b", "c"]);
    expect(await list()).toEqual({ texts: ["c", "b", "a"], next: null, lookedThrough: null });
    expect(await readPages({ limit: "2" })).toEqual([["c", "b"], ["a"]]);
    expect(await readPages({ limit: "3" })).toEqual([["c", "b", "a"]]);
  });

  it("is ordered by time on request, on all pages", async () => {
    const { readPages } = await listed(["a", "b", "c"]);
    expect(await readPages({ order: "due", limit: "1" })).toEqual([["c"], ["b"], ["a"]]);
  });

  it("rejects a cursor of another order and an invalid cursor", async () => {
    const { list } = await listed(["a", "b"]);
    const { next } = await list({ limit: "1" });
    const [byDue, broken] = [{ order: "due", cursor: next }, { cursor: "???" }];
    for (const query of [byDue, broken]) {
      expect(await refusal(list(query))).toMatchObject({ code: "unreadable_cursor", detail: { field: "/cursor" } });
    }
    const odd = btoa("due 12 post_x").replaceAll("=", "");
    expect(await refusal(list({ order: "due", cursor: odd }))).toMatchObject({ code: "unreadable_cursor" });
  });

  it("contains only posts that the caller may see, and says how many were searched", async () => {
    const { list, readPages, second, first } = await listed(["a", "b", "c"]);
    expect(await list({}, { reach: [second] })).toEqual({ texts: ["b"], next: null, lookedThrough: 3 });
    expect(await readPages({ limit: "1" }, { reach: [first, second] })).toEqual([["c"], ["b"], ["a"]]);
    expect((await list({}, { reach: [] })).texts).toEqual([]);
  });

  it("finds posts with all words in any case, including posts that an earlier release stored without words", async () => {
    const { list, workspaceId } = await listed(["Red engine", "red car", "engines"]);
    expect((await list({ q: "RED" })).texts).toEqual(["red car", "Red engine"]);
    expect(await list({ q: "engine red" })).toMatchObject({ texts: ["Red engine"], lookedThrough: 3 });
    await db.update(posts).set({ words: null }).where(eq(posts.workspaceId, workspaceId));
    expect((await list({ q: "engine red" })).texts).toEqual(["Red engine"]);
    expect((await list({ q: "engine" })).texts).toEqual(["Red engine"]);
  });

  it("finds posts that are due in a range of dates in the workspace's time zone", async () => {
    const { list } = await listed(["a", "b", "c"], { timezone: "Pacific/Auckland" });
    const dueOf = (hours: number) => at(NOW + DAY_MS - hours * HOUR_MS);
    expect((await list({ from: dueOf(1) })).texts).toEqual(["b", "a"]);
    expect((await list({ to: dueOf(1) })).texts).toEqual(["c"]);
    expect((await list({ from: dueOf(1), to: dueOf(0) })).texts).toEqual(["b"]);
    // In Auckland it is 13 hours later: the day of the first two has begun there.
    const [day] = at(NOW + DAY_MS + 13 * HOUR_MS).split("T");
    expect((await list({ from: day })).texts).toEqual(["c", "b", "a"]);
    expect((await list({ to: day })).texts).toEqual([]);
    expect((await list({ from: "0000-01-01" })).texts).toHaveLength(3);
    expect(await refusal(list({ to: "soon" }))).toMatchObject({ detail: { field: "/to" } });
    expect(await refusal(list({ from: "soon" }))).toMatchObject({ detail: { field: "/from" } });
  });

  it("is of a status, channel, platform, label, file or author, and of all of them together", async () => {
    const { list, first, second, create } = await listed(["a", "b"]);
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
  it("is visible to callers who reach its channels", async () => {
    const { call, createOne, first } = await workspaceOfTwo();
    const id = await createOne();
    expect((await call("posts.get", { id })).body).toMatchObject({ id, text: "hello" });
    const message = "Not found: no post with this id in this workspace.";
    expect(await refusal(call("posts.get", { id, reach: [first] }))).toMatchObject({ status: 404, message });
  });
});

describe("the labels of a workspace", () => {
  it("are listed by name with the number of their posts, page by page", async () => {
    const { call, create } = await workspaceOfTwo();
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
    expect(await refusal(call("posts.labels", { query: { cursor: "???" } }))).toMatchObject({
      code: "unreadable_cursor",
    });
  });
});
