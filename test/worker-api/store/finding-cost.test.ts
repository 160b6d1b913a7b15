// The cost of a page of found posts, in workspaces that differ only in their number of posts.
import { beforeAll, describe, expect, it } from "vitest";
import { buildLastId } from "../../../src/domain/ids.ts";
import { measureCost } from "../../support/cost-of.ts";
import { testEnv } from "../../support/env.ts";
import { type Account, connect, type PostBody, signUp } from "../../support/world.ts";

/** The larger workspace has enough posts that a search through all of them would be noticed. */
const SIZES = [1_000, 8_000] as const;
const DAY = 86_400_000;
/** All posts are created within this number of days, and are due up to twenty days later. */
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
    // An id begins with the time at which its post was created.
    const ids = Array.from({ length: posts }, (_, i) =>
      buildLastId("post", START + Math.floor(((i + 1) * DAYS * DAY) / posts)).replace("~", String(i).padStart(16, "0")),
    );
    await testEnv.DB.prepare(
      `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at, timezone,
          created_at, updated_at, labels, words)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
        SELECT ?1, ?5 ->> (i - 1), status, 'x', '[]', json_array(?3 ->> (i % 3)), '{}', '{}', due,
          iif(status = 'draft', NULL, due), 'UTC', due - ahead, i, iif(i % 2 = 0, '["often"]', iif(i % (?2 / 10) = 5, '["seldom"]', '[]')),
          iif(i % 3 = 0, ' winter ', ' summer ') FROM (SELECT i, CASE WHEN i % 10 = 1 THEN 'draft' WHEN i % 10 = 2 THEN 'failed' ELSE 'published' END
            AS status, i * 7919 % 20 * ${DAY} AS ahead, ?4 + i * ${DAYS * DAY} / ?2 + i * 7919 % 20 * ${DAY} AS due FROM n)`,
    )
      .bind(account.workspace, posts, JSON.stringify(channels), START, JSON.stringify(ids))
      .run();
    workspaces.push({ account, channels, posts });
    // The first use of a key in a while is recorded, so it happens before the measurements.
    await measureCost(account, "GET", "/v1/workspace");
  }
}, 120_000);

/** Requests the same page of each workspace. */
const ask = (query: (channels: string[]) => Record<string, string>) =>
  Promise.all(
    workspaces.map(async ({ account, channels }) => {
      const answer = await measureCost<Page>(
        account,
        "GET",
        `/v1/posts?${new URLSearchParams({ limit: "20", ...query(channels) })}`,
      );
      expect(answer).toMatchObject({ status: 200, use: { rowsWritten: 0 } });
      return answer;
    }),
  );

type Query = (channels: string[]) => Record<string, string>;

describe.each(["newest", "due"])("a page of found posts, order=%s", (order) => {
  const isByDue = order === "due";
  const filters: Record<string, Query> = {
    "no filter": () => ({}),
    drafts: () => ({ status: "draft" }),
    "a status that few posts have": () => ({ status: "failed" }),
    ...(isByDue
      ? {
          channel: ([channel = ""]) => ({ channel }),
          label: () => ({ label: "often" }),
          "seldom label": () => ({ label: "seldom", limit: "3" }),
          "a month": () => month,
          "a month and a channel": ([channel = ""]) => ({ ...month, channel }),
          "a month and a label": () => ({ ...month, label: "often" }),
          "a month of drafts": () => ({ ...month, status: "draft" }),
          "a month of a status that few posts have": () => ({ ...month, status: "failed" }),
        }
      : {}),
  };
  it.each(Object.entries(filters))(
    "a page found by %s costs as much as it holds, however many posts there are",
    async (_name, query) => {
      const [few, many] = await ask((channels) => ({ order, ...query(channels) }));
      expect(many?.body.posts.length).toBe(few?.body.posts.length);
      expect(many?.body).toMatchObject({ looked_through: null });
      expect(many?.body.next).not.toBeNull();
      const [least = 0, most = 0] = [few?.use.rowsRead, many?.use.rowsRead];
      expect(least).toBeLessThanOrEqual(20 + 9 * (few?.body.posts.length ?? 0));
      expect(most).toBeLessThanOrEqual(least + 20);
      expect(many?.use.roundTrips).toBeLessThanOrEqual(2);
    },
  );

  const broad: Record<string, Query> = {
    "a status that most posts have": () => ({ status: "published" }),
    platform: () => ({ platform: "telegram" }),
    ...(isByDue
      ? { "a month and a platform": () => ({ ...month, platform: "bluesky" }) }
      : { channel: ([channel = ""]) => ({ channel }) }),
  };
  it.each(Object.entries(broad))(
    "a page found by %s compares a few posts for each post that it holds",
    async (_name, query) => {
      for (const answer of await ask((channels) => ({ order, ...query(channels) }))) {
        expect(answer.body.posts).toHaveLength(20);
        // Four posts for each one, and one that shows that there are more.
        expect(answer.body.looked_through).toBeLessThanOrEqual(4 * 21);
        expect(answer.use.rowsRead).toBeLessThanOrEqual(20 + 10 * 4 * 21);
        expect(answer.use.roundTrips).toBeLessThanOrEqual(2);
      }
    },
  );

  const windows: Record<string, Query> = {
    words: () => ({ q: "winter" }),
    "words that no post has": () => ({ q: "nowhere" }),
    "words, a channel and a month": ([channel = ""]) => ({ ...month, channel, q: "winter" }),
    "a status and a label": () => ({ status: "failed", label: "often" }),
    "a platform and a label": () => ({ platform: "telegram", label: "seldom" }),
    "a month of drafts and words": () => ({ ...month, status: "draft", q: "winter" }),
    "all filters at once": ([channel = ""]) => ({
      ...month,
      channel,
      platform: "telegram",
      label: "often",
      status: "failed",
      q: "summer",
    }),
    ...(isByDue
      ? {}
      : {
          label: () => ({ label: "often" }),
          "a label that few posts have": () => ({ label: "seldom" }),
          "a month": () => month,
          "a month and a channel": ([channel = ""]) => ({ ...month, channel }),
          "a month and a platform": () => ({ ...month, platform: "bluesky" }),
          "a month and a label": () => ({ ...month, label: "often" }),
          "a month of a status": () => ({ ...month, status: "failed" }),
          "a month of drafts": () => ({ ...month, status: "draft" }),
        }),
  };
  it.each(Object.entries(windows))(
    "a page found by %s is full, and costs as much as the number of searched posts that it reports",
    async (_name, query) => {
      for (const { body, use } of await ask((channels) => ({ order, ...query(channels) }))) {
        if (body.next !== null) expect(body.posts).toHaveLength(20);
        // Up to a thousand entries of another index may be read to find out that they are not few.
        expect(use.rowsRead).toBeLessThanOrEqual(200 + 12 * (body.looked_through ?? 0) + 3 * 1_000);
        // The search reads a thousand posts, then four thousand, then all. A date takes one more round trip, for the
        // workspace's time zone.
        expect(use.roundTrips).toBeLessThanOrEqual(4);
      }
    },
  );
});
