// Feeds: their calls, and the posts that they make.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { FEED_BYTES_MAX } from "../../src/domain/limits.ts";
import { readDueFeed } from "../../src/operations/feeds/read-due.ts";
import { afterRestore, applyStanding } from "../../src/store/after-restore.ts";
import { testEnv } from "../support/env.ts";
import { hostFeed, hostText } from "../support/feeds.ts";
import { type Account, call, connect, type PostBody, signUp, unique } from "../support/world.ts";

interface Feed {
  id: string;
  url: string;
  posts: number;
  draft: boolean;
  problem: { code: string; message: string } | null;
  next_read_at: string | null;
}

const PATH = "/v1/feeds";
const create = (key: string, body: object) => call<Feed>("POST", PATH, { token: key, body });
const list = async (key: string) => (await call<{ feeds: Feed[] }>("GET", PATH, { token: key })).body.feeds;
const listOf = async (key: string, query: string) =>
  (await call<{ posts: PostBody[] }>("GET", `/v1/posts?limit=200${query}`, { token: key })).body.posts;
/** All posts and drafts, newest first. */
const listPosts = async (key: string) =>
  [...(await listOf(key, "")), ...(await listOf(key, "&status=draft"))].sort((a, b) => (a.id < b.id ? 1 : -1));

/** Makes a feed due, and reads it as the queue would. */
async function readNow({ workspace }: Account, id: string): Promise<void> {
  await testEnv.DB.prepare("UPDATE feeds SET next_read_at = 0 WHERE id = ?").bind(id).run();
  await readDueFeed(
    compose(testEnv, () => {}),
    workspace,
    id,
  );
}

/** A feed whose document had one item when it was added. */
async function addFeed(body: object = {}) {
  const owner = await signUp();
  const channel = await connect(owner.key, "telegram");
  const url = await hostFeed(["Old"]);
  const { status, body: feed } = await create(owner.key, { url, channels: [channel.id], ...body });
  expect(status).toBe(201);
  return { owner, channel, url, feed, read: () => readNow(owner, feed.id), posts: () => listPosts(owner.key) };
}

describe("the calls", () => {
  it("adds a feed with its defaults and a preview, changes it and deletes it", async () => {
    const { owner, channel, url, feed } = await addFeed();
    expect(feed).toMatchObject({
      id: expect.stringMatching(/^feed_/),
      name: "Engines",
      url,
      channels: [channel.id],
      draft: true,
      interval_minutes: 60,
      posts: 0,
      problem: null,
      preview: "Old\n\nhttps://blog.example.com/Old",
    });
    const changed = await call<Feed>("PATCH", `${PATH}/${feed.id}`, { token: owner.key, body: { paused: true } });
    expect(changed).toMatchObject({ status: 200, body: { paused: true, next_read_at: null } });
    expect(await list(owner.key)).toEqual([changed.body]);
    expect((await call("DELETE", `${PATH}/${feed.id}`, { token: owner.key })).status).toBe(204);
    expect((await call("DELETE", `${PATH}/${feed.id}`, { token: owner.key })).status).toBe(404);
    expect(await list(owner.key)).toEqual([]);
  });

  it.each<[string, object, string, string]>([
    ["a short interval", { interval_minutes: 14 }, "invalid_field", "/interval_minutes"],
    ["an unknown name in braces", { template: "{titel}" }, "invalid_field", "/template"],
    ["an unknown channel", { channels: ["ch_none"] }, "unknown_channel", "/channels/0"],
    ["a time", { publish_at: "2030-01-01T00:00:00Z" }, "invalid_field", "/publish_at"],
    ["an address that answers nothing", { url: `${testEnv.FILE_HOST}/no-feed` }, "url_unreachable", "/url"],
    ["an address with a password", { url: "https://a:b@example.com/feed" }, "url_not_public", "/url"],
  ])("refuses %s", async (_, body, error, field) => {
    const { key } = await signUp();
    const answer = await create(key, { url: await hostFeed([]), channels: [], ...body });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
    expect(await list(key)).toEqual([]);
  });

  it("refuses an address with a page, and one with too large a document", async () => {
    const { key } = await signUp();
    const page = await hostText("<!doctype html><title>Blog</title>");
    expect(await create(key, { url: page, channels: [] })).toMatchObject({ body: { error: "feed_unreadable" } });
    const large = await hostFeed(["Large"], undefined, FEED_BYTES_MAX + 1);
    expect(await create(key, { url: large, channels: [] })).toMatchObject({ body: { error: "feed_unreadable" } });
    const largest = await hostFeed(["Largest"], undefined, FEED_BYTES_MAX);
    expect((await create(key, { url: largest, channels: [] })).status).toBe(201);
  });
});

describe("a read", () => {
  it("makes one draft of each new item, the oldest first, and none of the items that were there", async () => {
    const { url, read, posts, channel } = await addFeed({ labels: ["blog"] });
    await read();
    expect(await posts()).toEqual([]);
    await hostFeed(["Newer", "New", "Old"], url);
    await read();
    await read();
    const made = await posts();
    expect(made.map(({ text, status }) => [text, status])).toEqual([
      ["Newer\n\nhttps://blog.example.com/Newer", "draft"],
      ["New\n\nhttps://blog.example.com/New", "draft"],
    ]);
    expect(made[0]).toMatchObject({ channels: [channel.id], labels: ["blog"] });
  });

  it("makes no second post if the record of the read was lost, even of a discarded draft", async () => {
    const { owner, url, feed, read, posts } = await addFeed();
    await hostFeed(["New", "Old"], url);
    const before = await testEnv.DB.prepare("SELECT seen FROM feeds WHERE id = ?").bind(feed.id).first<string>("seen");
    await read();
    await testEnv.DB.prepare("UPDATE feeds SET seen = ?, validators = '{}' WHERE id = ?").bind(before, feed.id).run();
    await read();
    const [draft, ...others] = await posts();
    expect(others).toEqual([]);
    await call("DELETE", `/v1/posts/${draft?.id}`, { token: owner.key });
    await read();
    expect(await posts()).toEqual([]);
  });

  it("schedules posts if asked to, and keeps a refused one as a draft that says why", async () => {
    const { owner, url, read, posts } = await addFeed({ draft: false, template: "{title}" });
    await hostFeed(["x".repeat(5_000), "New", "Old"], url);
    await read();
    expect((await posts()).map(({ text, status }) => [text.length, status === "draft"])).toEqual([
      [5_000, true],
      [3, false],
    ]);
    const [feed] = await list(owner.key);
    expect(feed).toMatchObject({
      posts: 2,
      problem: { code: "kept_as_draft", message: expect.stringContaining("draft") },
    });
    await hostFeed(["y", "Old"], url);
    await read();
    expect((await list(owner.key))[0]).toMatchObject({ posts: 3, problem: null });
  });

  it("makes ten posts at most, and the others at the next read", async () => {
    const { url, read, posts } = await addFeed();
    await hostFeed(
      Array.from({ length: 12 }, (_, i) => `Item ${i}`),
      url,
    );
    await read();
    expect(await posts()).toHaveLength(10);
    await read();
    expect((await posts()).map(({ text }) => text.split("\n")[0])).toEqual(
      Array.from({ length: 12 }, (_, i) => `Item ${i}`),
    );
  });

  it("says what is wrong with the feed, and goes on when it is well again", async () => {
    const { owner, url, read, posts } = await addFeed();
    await hostText("<html></html>", url);
    await read();
    expect((await list(owner.key))[0]).toMatchObject({ problem: { code: "not_a_feed" } });
    await hostFeed(["New", "Old"], url);
    await read();
    expect((await list(owner.key))[0]).toMatchObject({ problem: null, posts: 1 });
    expect(await posts()).toHaveLength(1);
  });

  it("makes nothing with the rights of a revoked key until another caller takes the feed over", async () => {
    const owner = await signUp();
    const url = await hostFeed(["Old"]);
    const keys = `/v1/workspaces/${owner.workspace}/keys`;
    const { body: named } = await call<{ id: string; key: string }>("POST", keys, {
      token: owner.session,
      body: { name: unique("k"), scopes: ["read", "draft", "manage"] },
    });
    const { body: feed } = await create(named.key, { url, channels: [] });
    expect((await call("DELETE", `${keys}/${named.id}`, { token: owner.session })).status).toBe(204);
    await hostFeed(["New", "Old"], url);
    await readNow(owner, feed.id);
    expect((await list(owner.key))[0]).toMatchObject({ problem: { code: "maker_gone" }, posts: 0 });
    await call("PATCH", `${PATH}/${feed.id}`, {
      token: owner.session,
      body: { name: "Taken over" },
      headers: { "x-workspace": owner.workspace },
    });
    await readNow(owner, feed.id);
    expect((await list(owner.key))[0]).toMatchObject({ problem: null, posts: 1 });
    expect(await listPosts(owner.key)).toHaveLength(1);
  });

  it("is taken by one reader only", async () => {
    const { owner, feed, url, posts } = await addFeed();
    await hostFeed(["New", "Old"], url);
    await testEnv.DB.prepare("UPDATE feeds SET next_read_at = 0 WHERE id = ?").bind(feed.id).run();
    const ctx = compose(testEnv, () => {});
    await Promise.all([1, 2, 3].map(() => readDueFeed(ctx, owner.workspace, feed.id)));
    expect(await posts()).toHaveLength(1);
    expect((await list(owner.key))[0]).toMatchObject({ posts: 1 });
  });

  it("makes no posts after a restore until a person resumes the feed", async () => {
    const { owner, feed, url, posts } = await addFeed();
    await hostFeed(["New", "Old"], url);
    const changes = [...afterRestore(Date.now()), ...applyStanding(0, Date.now())];
    const ofFeeds = changes.filter(({ sql }) => sql.startsWith("UPDATE feeds "));
    expect(ofFeeds).toHaveLength(2);
    await testEnv.DB.prepare("UPDATE feeds SET next_read_at = 0 WHERE id = ?").bind(feed.id).run();
    await testEnv.DB.prepare(ofFeeds[0]?.sql ?? "").run();
    await readDueFeed(
      compose(testEnv, () => {}),
      owner.workspace,
      feed.id,
    );
    expect(await posts()).toEqual([]);
    expect((await list(owner.key))[0]).toMatchObject({ paused: true, next_read_at: null });
    await call("PATCH", `${PATH}/${feed.id}`, { token: owner.key, body: { paused: false } });
    await readNow(owner, feed.id);
    expect(await posts()).toHaveLength(1);
  });
});
