// What a page of found posts costs, in workspaces that differ by how many posts they have and in nothing else.
import { beforeAll, describe, expect, it } from "vitest";
import { costOf } from "../../support/cost-of.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, connect, type PostBody, signUp } from "../../support/world.ts";

/** The larger is large enough that a look through its posts is seen. */
const SIZES = [1_000, 8_000] as const;
const DAY = 86_400_000;
/** All are made within so many days, and due up to twenty days later. */
const DAYS = 120;
const START = Date.UTC(2026, 6, 1);
const month = { from: "2026-08-01", to: "2026-09-01" };
const CHANNELS = ["telegram", "bluesky", "telegram"];

interface Page {
  posts: PostBody[];
  next: string | null;
  looked_through: number | null;
}

let workspaces: { account: Account; channels: string[]; posts: number }[];
beforeAll(async () => {
  workspaces = [];
  for (const posts of SIZES) {
    const account = await signUp();
    const channels: string[] = [];
    for (const platform of CHANNELS) channels.push((await connect(account.key, platform)).id);
    await testEnv.DB.prepare(
      `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at, timezone,
          created_at, updated_at, labels, words)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        SELECT ?1, printf('post_%026d', i), status, 'x', '[]', json_array(?3 ->> (i % 3)), '{}', '{}', due,
          iif(status = 'draft', NULL, due), 'UTC', due - ahead, i, iif(i % 2 = 0, '["often"]', iif(i % (?2 / 10) = 5, '["seldom"]', '[]')),
          iif(i % 3 = 0, ' winter ', ' summer ') FROM (SELECT i, CASE WHEN i % 10 = 1 THEN 'draft' WHEN i % 10 = 2 THEN 'failed' ELSE 'published' END
            AS status, i * 7919 % 20 * ${DAY} AS ahead, ?4 + i * ${DAYS * DAY} / ?2 + i * 7919 % 20 * ${DAY} AS due FROM n)`,
    )
      .bind(account.workspace, posts, JSON.stringify(channels), START)
      .run();
    workspaces.push({ account, channels, posts });
    // The first use of a key in a while is noted.
    await costOf(account, "GET", "/v1/workspace");
  }
}, 120_000);

/** The same page of each workspace. */
const ask = (query: (channels: string[]) => Record<string, string>) =>
  Promise.all(
    workspaces.map(async ({ account, channels }) => {
      const answer = await costOf<Page>(
        account,
        "GET",
        `/v1/posts?${new URLSearchParams({ limit: "20", ...query(channels) })}`,
      );
      expect(answer).toMatchObject({ status: 200, use: { rowsWritten: 0 } });
      return answer;
    }),
  );

describe.each(["newest", "due"])("a page of found posts, order=%s", (order) => {
  const filters: Record<string, (channels: string[]) => Record<string, string>> = {
    nothing: () => ({}),
    channel: ([channel = ""]) => ({ channel }),
    platform: () => ({ platform: "telegram" }),
    label: () => ({ label: "often" }),
    "seldom label": () => ({ label: "seldom", limit: "3" }),
    drafts: () => ({ status: "draft" }),
    "a status that few posts have": () => ({ status: "failed" }),
    "a month": () => month,
    "a month and a channel": ([channel = ""]) => ({ ...month, channel }),
    "a month and a label": () => ({ ...month, label: "often" }),
    "a month and a platform": () => ({ ...month, platform: "bluesky" }),
    ...(order === "due"
      ? {
          "a month of drafts": () => ({ ...month, status: "draft" }),
          "a month of a status that few posts have": () => ({ ...month, status: "failed" }),
        }
      : {}),
  };
  it.each(Object.entries(filters))("by %s costs what it holds, however many posts there are", async (_name, query) => {
    const [few, many] = await ask((channels) => ({ order, ...query(channels) }));
    expect(many?.body.posts.length).toBe(few?.body.posts.length);
    expect(many?.body).toMatchObject({ looked_through: null });
    expect(many?.body.next).not.toBeNull();
    const [least = 0, most = 0] = [few?.use.rowsRead, many?.use.rowsRead];
    // Each day of the month, or back to the making of the last one found, costs a few rows of each channel.
    expect(least).toBeLessThanOrEqual(20 + 17 * (few?.body.posts.length ?? 0) + 4 * CHANNELS.length * 45);
    expect(most).toBeLessThanOrEqual(least * 1.3 + 20);
    expect(many?.use.roundTrips).toBeLessThanOrEqual(2);
  });

  const windows: Record<string, (channels: string[]) => Record<string, string>> = {
    words: () => ({ q: "winter" }),
    "words that no post has": () => ({ q: "nowhere" }),
    "words, a channel and a month": ([channel = ""]) => ({ ...month, channel, q: "winter" }),
    "what most posts are": () => ({ status: "published" }),
    "a status and a label": () => ({ status: "failed", label: "often" }),
    "a platform and a label": () => ({ platform: "telegram", label: "seldom" }),
    ...(order === "newest" ? { "a month of a status": () => ({ ...month, status: "failed" }) } : {}),
    "a month of drafts": () => ({ ...month, status: "draft", q: "winter" }),
    "all at once": ([channel = ""]) => ({
      ...month,
      channel,
      platform: "telegram",
      label: "often",
      status: "failed",
      q: "summer",
    }),
  };
  it.each(Object.entries(windows))("by %s is full, and costs what it says it looked through", async (_name, query) => {
    const [few, many] = await ask((channels) => ({ order, ...query(channels) }));
    for (const answer of [few, many]) {
      const { posts = [], next = null, looked_through = null } = answer?.body ?? {};
      if (next !== null) expect(posts).toHaveLength(20);
      expect(answer?.use.rowsRead).toBeLessThanOrEqual(20 * Math.max(looked_through ?? 0, 300));
      // A thousand posts, then four thousand, then all that there are; and where a date is read, the clock that it is on.
      expect(answer?.use.roundTrips).toBeLessThanOrEqual(4);
    }
  });
});
