// The commands for channel groups, snippets, comments and acts on many posts: what they send and print, and their exit codes.
import { expect, it } from "vitest";
import { answerFrom, runWith } from "./run.ts";
import { json } from "./service.ts";

const GROUP = { id: "grp_1", name: "News", channels: ["ch_1", "ch_2"] };
const CHANNELS = ["telegram", "bluesky"].map((platform, i) => ({
  id: `ch_${i + 1}`,
  platform,
  handle: `@${platform}`,
  state: "connected",
}));
const FEED = {
  id: "feed_1",
  name: "Blog",
  url: "https://blog.example.com/feed",
  paused: false,
  draft: true,
  posts: 3,
  problem: { code: "not_a_feed", message: "It is a page." },
};
const SNIPPET = { id: "snip_1", name: "Signature", text: "Made in London.", kind: "text" };
const COMMENT = { id: "cmt_1", text: "Is this final?", by: "Ada", at: "2026-11-21T08:30:00.000Z" };
const ANSWERS: Record<string, unknown> = {
  "GET /v1/channels": { channels: CHANNELS, next: null },
  "GET /v1/channel-groups": { channel_groups: [GROUP], next: null },
  "POST /v1/channel-groups": GROUP,
  "PATCH /v1/channel-groups/grp_1": { ...GROUP, name: "Launch" },
  "DELETE /v1/channel-groups/grp_1": null,
  "GET /v1/feeds": { feeds: [FEED], next: null },
  "POST /v1/feeds": { ...FEED, problem: null, preview: "Engines", warnings: [] },
  "PATCH /v1/feeds/feed_1": { ...FEED, paused: true },
  "DELETE /v1/feeds/feed_1": null,
  "GET /v1/snippets": { snippets: [SNIPPET], next: null },
  "POST /v1/snippets": SNIPPET,
  "PATCH /v1/snippets/snip_1": { ...SNIPPET, text: "Made in Paris." },
  "DELETE /v1/snippets/snip_1": null,
  "GET /v1/posts/post_1/comments": { comments: [COMMENT], next: null },
  "POST /v1/posts/post_1/comments": COMMENT,
  "GET /v1/posts/post_1": { id: "post_1", rev: 3 },
  "GET /v1/posts/post_2": { id: "post_2", rev: 7 },
  "GET /v1/workspace": { timezone: "UTC" },
};
const changed = (id: string) => ({
  id,
  status: 200,
  post: { status: "scheduled", rev: 9, publish_at: null, due_at: "2026-12-01T09:00:00.000Z", labels: ["winter"] },
  error: null,
});
const refused = (id: string, status: number, error: string) => ({
  id,
  status,
  post: null,
  error: { error, message: `Refused: ${error}.` },
});

/** Runs a command line. `bulk` answers the calls for many posts in turn. */
function crier(words: string[], { input = "", bulk = [] }: { input?: string; bulk?: unknown[][] } = {}) {
  const bulkAnswers = [...bulk];
  const answer = answerFrom(ANSWERS);
  return runWith(
    (response, call, request) => {
      if (call.path === "/v1/posts/bulk") json(response, 200, { posts: bulkAnswers.shift() ?? [] });
      else answer(response, call, request);
    },
    words,
    { input },
  );
}

it("lists channel groups as a table with the names of their channels, or as JSON", async () => {
  expect((await crier(["channel-groups"])).out).toMatch(/News +@telegram, @bluesky +grp_1/);
  expect(JSON.parse((await crier(["channel-groups", "--json"])).out)).toEqual({ channel_groups: [GROUP], next: null });
});

it("creates, changes and deletes a channel group that is named in any case", async () => {
  const created = await crier(["channel-groups", "create", "News", "-c", "telegram", "-c", "@bluesky"]);
  expect(created.sent).toEqual([["POST /v1/channel-groups", { name: "News", channels: ["ch_1", "ch_2"] }]]);
  expect(created.out).toBe("Created News (grp_1) with 2 channels.\n");
  const renamed = await crier(["channel-groups", "change", "news", "--name", "Launch"]);
  expect(renamed.sent).toEqual([["PATCH /v1/channel-groups/grp_1", { name: "Launch" }]]);
  expect((await crier(["channel-groups", "delete", "NEWS"])).sent).toEqual([["DELETE /v1/channel-groups/grp_1", null]]);
  expect(await crier(["channel-groups", "delete", "Old"])).toMatchObject({ code: 2, sent: [] });
  expect(await crier(["channel-groups", "create", "Empty"])).toMatchObject({ code: 2, sent: [] });
});

it("lists, adds, changes and deletes feeds", async () => {
  const listed = (await crier(["feeds"])).out;
  expect(listed).toMatch(/Blog +not_a_feed +drafts +3 +https:\/\/blog\.example\.com\/feed +feed_1/);
  expect(listed).toContain("Blog: It is a page.");
  const added = await crier([
    "feeds",
    "add",
    FEED.url,
    "--post",
    "--next-slot",
    "--every",
    "30",
    "--template",
    "{title}",
  ]);
  expect(added.sent.at(-1)).toEqual([
    "POST /v1/feeds",
    { url: FEED.url, channels: [], draft: false, publish_at: "next_slot", template: "{title}", interval_minutes: 30 },
  ]);
  expect(added.out).toContain("The newest item would read:");
  expect((await crier(["feeds", "change", "feed_1", "--pause"])).sent).toEqual([
    ["PATCH /v1/feeds/feed_1", { paused: true }],
  ]);
  expect(JSON.parse((await crier(["feeds", "delete", "feed_1", "--json"])).out)).toEqual({ deleted: "feed_1" });
  expect(await crier(["feeds", "change", "feed_1"])).toMatchObject({ code: 2, sent: [] });
  expect(await crier(["feeds", "add", FEED.url, "--every", "often"])).toMatchObject({ code: 2, sent: [] });
});

it("lists, creates, changes and deletes snippets", async () => {
  expect((await crier(["snippets"])).out).toMatch(/Signature +text +Made in London\. +snip_1/);
  const created = await crier(["snippets", "create", "Engines", "-", "--kind", "hashtags"], { input: "#engines\n" });
  expect(created.sent).toEqual([["POST /v1/snippets", { name: "Engines", text: "#engines", kind: "hashtags" }]]);
  const changedSnippet = await crier(["snippets", "change", "snip_1", "--text", "Made in Paris."]);
  expect(changedSnippet.sent).toEqual([["PATCH /v1/snippets/snip_1", { text: "Made in Paris." }]]);
  expect(JSON.parse((await crier(["snippets", "delete", "snip_1", "--json"])).out)).toEqual({ deleted: "snip_1" });
  expect(await crier(["snippets", "change", "snip_1"])).toMatchObject({ code: 2, sent: [] });
  expect(await crier(["snippets", "delete", "snip_2"])).toMatchObject({ code: 4 });
});

it("lists the comments on a post and adds one", async () => {
  expect((await crier(["comments", "post_1"])).out).toMatch(/Ada +.* ago +Is this final\?/);
  expect(JSON.parse((await crier(["comments", "post_1", "--json"])).out)).toEqual({ comments: [COMMENT], next: null });
  const added = await crier(["comments", "add", "post_1", "Is this final?"]);
  expect(added).toMatchObject({ code: 0, sent: [["POST /v1/posts/post_1/comments", { text: "Is this final?" }]] });
  expect(await crier(["comments", "post_9"])).toMatchObject({ code: 4 });
});

it("sends an act on many posts with their current revisions, and repeats it for posts that were not begun", async () => {
  const bulk = [[changed("post_1"), refused("post_2", 429, "rate_limited")], [changed("post_2")]];
  const moved = await crier(["posts", "move", "-", "--by=-1d 2h"], { input: "post_1\npost_2\npost_1\n", bulk });
  expect(moved.sent).toEqual([
    [
      "POST /v1/posts/bulk",
      {
        do: "move",
        by_seconds: -93_600,
        posts: [
          { id: "post_1", rev: 3 },
          { id: "post_2", rev: 7 },
        ],
      },
    ],
    ["POST /v1/posts/bulk", { do: "move", by_seconds: -93_600, posts: [{ id: "post_2", rev: 7 }] }],
  ]);
  expect(moved).toMatchObject({ code: 0, err: "" });
  expect(moved.out).toMatch(/post_1 +scheduled +2026-12-01T09:00:00\.000Z +winter/);
});

it("prints the refusals of an act on many posts, and exits with the code of the first", async () => {
  const bulk = [[changed("post_1"), refused("post_2", 412, "post_changed")]];
  const approved = await crier(["posts", "approve", "post_1", "post_2"], { bulk });
  expect(approved).toMatchObject({ code: 4, err: "1 post of 2 was not changed.\n" });
  expect(approved.out).toMatch(/post_2 +refused: Refused: post_changed\./);
  const deleted = await crier(["posts", "delete", "post_1", "post_2", "--json"], { bulk });
  expect(JSON.parse(deleted.out)).toEqual({ posts: bulk[0] });
  expect(deleted.code).toBe(4);
});

it.each([
  [["posts", "move", "post_1"]],
  [["posts", "move", "post_1", "--at", "9:00", "--by", "+1d"]],
  [["posts", "move", "post_1", "--by", "soon"]],
  [["posts", "label", "post_1"]],
  [["posts", "approve"]],
  [["posts", "approve", "-"]],
])("crier %j is refused before anything is sent", async (words) => {
  expect(await crier(words)).toMatchObject({ code: 2, sent: [] });
});
