// Finds posts by each filter, and compares the result with a plain search of the same rows.
import { beforeAll, describe, expect, it } from "vitest";
import { splitWords, storedWords } from "../../src/domain/posts/words.ts";
import { testEnv } from "../support/env.ts";
import type { Query } from "../support/planted-posts.ts";
import { isWhole, sampleWays } from "../support/sampled.ts";
import { type Account, call, signUp } from "../support/world.ts";
import { fetchAll, fetchPage } from "./found.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-01-01T00:00:00Z");
const CHANNELS = ["telegram", "telegram", "bluesky", "x"].map((platform, i) => ({
  platform,
  id: `ch_${String(i).padStart(26, "0")}`,
}));
const TEXTS = ["Winter sale", "WINTER patterns", "summer", "Ελληνικά ΛΌΓΟΣ", "straße"];
const STATUSES = ["published", "failed", "cancelled", "partially_published", "scheduled", "draft"];

interface Row {
  id: string;
  status: string;
  due: number | null;
  text: string;
  channels: string[];
  labels: string[];
}
/** Posts of each status. The order of their times is unrelated to their ages, channels, labels and words. */
const ROWS: Row[] = Array.from({ length: 150 }, (_, i) => {
  const status = STATUSES[(i * 5) % 7 === 6 ? 0 : (i * 5) % 7] ?? "published";
  const due = START + ((i * 37) % 150) * 11 * HOUR + (i % 10 === 0 ? 0 : i);
  return {
    id: `post_${String(i).padStart(26, "0")}`,
    status,
    due: status === "draft" && i % 3 === 0 ? null : status === "scheduled" ? due + 4_000 * 24 * HOUR : due,
    text: `${TEXTS[i % 5]} ${i}`,
    channels: CHANNELS.filter((_, c) => (i >> c) % 2 === 1).map(({ id }) => id),
    labels: [...(i % 4 === 0 ? ["a"] : []), ...(i % 9 === 0 ? ['b "c"'] : [])],
  };
});

let account: Account;
beforeAll(async () => {
  account = await signUp();
  await insertRows(account.workspace);
}, 60_000);

async function insertRows(workspace: string): Promise<void> {
  const { DB } = testEnv;
  const channel = DB.prepare(
    "INSERT INTO channels (workspace_id, id, platform, handle, lane, created_at, updated_at) VALUES (?, ?, ?, ?, 0, 1, 1)",
  );
  const insert = DB.prepare(
    `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at, timezone,
      created_at, updated_at, labels, words) VALUES (?1, ?2, ?3, ?4, '[]', ?5, '{}', '{}', ?6, ?7, 'UTC', 1, 1, ?8, ?9)`,
  );
  await DB.batch([
    ...CHANNELS.map(({ id, platform }, i) => channel.bind(workspace, id, platform, `h${i}`)),
    ...ROWS.map(({ id, status, due, text, channels, labels }, i) => {
      // One in seven posts comes from an earlier release, which stored no words.
      const words = i % 7 === 0 ? null : storedWords({ text, overrides: {}, labels, thread: null, poll: null });
      const dueAt = status === "draft" ? null : due;
      return insert.bind(
        workspace,
        id,
        status,
        text,
        JSON.stringify(channels),
        due,
        dueAt,
        JSON.stringify(labels),
        words,
      );
    }),
  ]);
}

const NEVER = Number.MAX_SAFE_INTEGER;
/** Searches the rows for the posts that a query must find, in their order. */
function searchRows({ status, from, to, channel, platform, label, q = "", order }: Query): string[] {
  const queryWords = splitWords(q);
  const matches = ROWS.filter((row) => {
    const words = [row.text, ...row.labels].flatMap(splitWords);
    const platforms = CHANNELS.filter(({ id }) => row.channels.includes(id)).map((entry) => entry.platform);
    return (
      (status === undefined ? row.status !== "draft" : row.status === status) &&
      (from === undefined || (row.due !== null && row.due >= Date.parse(from))) &&
      (to === undefined || (row.due !== null && row.due < Date.parse(to))) &&
      (channel === undefined || row.channels.includes(channel)) &&
      (platform === undefined || platforms.includes(platform)) &&
      (label === undefined || row.labels.includes(label)) &&
      queryWords.every((word) => words.includes(word))
    );
  });
  const byAge = (a: Row, b: Row) => (a.id < b.id ? 1 : -1);
  const byDue = (a: Row, b: Row) => (a.due ?? NEVER) - (b.due ?? NEVER) || (a.id < b.id ? -1 : 1);
  return matches.sort(order === "due" ? byDue : byAge).map(({ id }) => id);
}

const RANGES: Query[] = [
  {},
  { from: "2026-01-10", to: "2026-02-01" },
  { from: "2026-02-20T10:00:00Z" },
  { to: "2026-01-03T05:30:00+02:00" },
];
const FILTERS: Query[] = [
  {},
  ...STATUSES.map((status) => ({ status })),
  ...CHANNELS.map(({ id }) => ({ channel: id })),
  { platform: "telegram" },
  { platform: "bluesky" },
  { label: "a" },
  { label: 'b "c"' },
  { q: "winter" },
  { q: "Sale wINTER" },
  { status: "draft", platform: "telegram" },
  { status: "draft", q: "winter", label: "a" },
  { status: "scheduled", channel: CHANNELS[1]?.id ?? "" },
  { platform: "telegram", label: "a", q: "winter" },
  { channel: CHANNELS[0]?.id ?? "", platform: "x", status: "failed" },
];

describe("finding posts", () => {
  it.each(["newest", "due"])(
    "finds posts with any filters and any range, page by page, each post once (order=%s)",
    async (order) => {
      let pages = 0;
      for (const [turn, filter] of FILTERS.entries()) {
        for (const range of sampleWays(RANGES, order === "due" ? turn + 1 : turn)) {
          const query = { ...filter, ...range, order };
          const result = await fetchAll(account.key, query);
          expect(
            result.posts.map(({ id }) => id),
            JSON.stringify(query),
          ).toEqual(searchRows(query));
          pages += result.pages;
        }
      }
      expect(pages).toBeGreaterThan(isWhole ? 200 : 50);
    },
  );

  it("reports the number of searched posts only if no index answers the query", async () => {
    const countSearched = async (query: Query) => (await fetchPage(account.key, query)).looked_through;
    for (const query of [
      {},
      { status: "draft" },
      { order: "due" },
      { label: "a", order: "due" },
      { channel: CHANNELS[0]?.id ?? "", order: "due" },
      { from: "2026-11-10", order: "due" },
    ]) {
      expect(await countSearched(query)).toBeNull();
    }
    expect(await countSearched({ q: "nowhere" })).toBe(searchRows({}).length);
    expect(await countSearched({ label: "a", channel: CHANNELS[0]?.id ?? "" })).toBe(searchRows({ label: "a" }).length);
  });

  it("finds nothing for an unknown channel, platform or label, and nothing of other workspaces", async () => {
    const stranger = await signUp();
    for (const query of [
      { channel: `ch_${"9".repeat(26)}` },
      { platform: "nonet" },
      { label: "none" },
      { q: "nowhere" },
      { from: "2027-01-01", to: "2026-01-01" },
    ]) {
      for (const order of ["newest", "due"]) {
        expect((await fetchAll(account.key, { ...query, order })).posts).toEqual([]);
      }
    }
    for (const query of [{ label: "a" }, { q: "winter" }, { order: "due" }, { from: "2020-01-01" }]) {
      expect((await fetchAll(stranger.key, query)).posts).toEqual([]);
    }
  });

  it.each([
    ["from", "yesterday"],
    ["from", "2026-13-01"],
    ["from", "2026-02-30"],
    ["to", "2026-11-21T10:00:00"],
    ["to", ""],
    ["order", "oldest"],
    ["channel", "telegram"],
    ["platform", "X!"],
    ["label", ""],
    ["media", "ch_1"],
    ["label", "x".repeat(51)],
    ["q", ""],
    ["q", "?!"],
    ["q", "x".repeat(201)],
    ["q", Array.from({ length: 21 }, (_, i) => i).join(" ")],
  ])("refuses %s=%s", async (name, value) => {
    const answer = await call("GET", `/v1/posts?${new URLSearchParams({ [name]: value })}`, { token: account.key });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_field", field: `/${name}` } });
  });

  it("refuses the cursor of another order", async () => {
    for (const [order, otherOrder] of [
      ["due", "newest"],
      ["newest", "due"],
    ] as const) {
      const { next } = await fetchPage(account.key, { label: "a", limit: "2", order });
      const answer = await call("GET", `/v1/posts?label=a&order=${otherOrder}&cursor=${next}`, { token: account.key });
      expect(answer).toMatchObject({ status: 422, body: { error: "unreadable_cursor" } });
    }
  });
});
