// Each page of a list is full unless it is the last one, for any query, and `next` never leads to an empty page.
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { testEnv } from "../support/env.ts";
import { makeKey } from "../support/keys.ts";
import {
  anyQuery,
  CHANNELS,
  type PlantedPost,
  plantPosts,
  type Query,
  randomPosts,
  search,
} from "../support/planted-posts.ts";
import { isWhole } from "../support/sampled.ts";
import { type Account, call, connect, signUp } from "../support/world.ts";
import { fetchPage } from "./found.ts";

const HOUR = 3_600_000;

/** Reads a list to its end, and expects each page except the last to be full. */
async function readFullPages<Row>(
  limit: number,
  read: (cursor: string | null) => Promise<{ rows: Row[]; next: string | null }>,
): Promise<Row[]> {
  const allRows: Row[] = [];
  for (let cursor: string | null = null; ; ) {
    const { rows, next }: { rows: Row[]; next: string | null } = await read(cursor);
    allRows.push(...rows);
    if (next === null) {
      expect(rows.length).toBeLessThanOrEqual(limit);
      return allRows;
    }
    expect(rows).toHaveLength(limit);
    cursor = next;
  }
}

const listIds = async (key: string, query: Query, limit: number) =>
  readFullPages(limit, async (cursor) => {
    const { posts, next } = await fetchPage(key, {
      ...query,
      limit: `${limit}`,
      ...(cursor === null ? {} : { cursor }),
    });
    return { rows: posts.map(({ id }) => id), next };
  });

const buildPost = (i: number, fields: Partial<PlantedPost>): PlantedPost => ({
  id: `post_${String(i).padStart(26, "0")}`,
  status: "published",
  due: Date.now(),
  word: "winter",
  channels: [CHANNELS[0]?.id ?? ""],
  labels: [],
  author: "usr_one",
  media: [],
  ...fields,
});

/** Removes the posts when the test ends, because a sweep would treat them as old. */
async function plant({ workspace }: Account, posts: PlantedPost[]): Promise<void> {
  onTestFinished(async () => {
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id = ?").bind(workspace).run();
  });
  await plantPosts(testEnv.DB, workspace, posts);
}

describe("a page of posts", () => {
  it("a page has the next scheduled posts even if many were due within the last hour and many later ones were cancelled", async () => {
    const account = await signUp();
    const now = Date.now();
    await plant(account, [
      ...Array.from({ length: 28 }, (_, i) => buildPost(i, { due: now - HOUR / 2 + i * 1_000 })),
      ...Array.from({ length: 28 }, (_, i) => buildPost(100 + i, { status: "cancelled", due: now + HOUR + i })),
      ...Array.from({ length: 8 }, (_, i) => buildPost(200 + i, { status: "scheduled", due: now + 2 * HOUR + i })),
    ]);
    const { posts, next } = await fetchPage(account.key, { status: "scheduled", order: "due", limit: "6" });
    expect(posts.map(({ id }) => id)).toEqual(Array.from({ length: 6 }, (_, i) => buildPost(200 + i, {}).id));
    expect(next).not.toBeNull();
  });

  it.each([11, 12, 13])(
    "each page of posts is full unless it is the last, for any posts and any filters, and has each post once (seed %d)",
    async (seed) => {
      const [account, now] = [await signUp(), Date.now()];
      const posts = randomPosts(seed, now);
      await plant(account, posts);
      const query = fc.tuple(anyQuery(now), fc.constantFrom(3, 50, 200), fc.boolean());
      const reach = CHANNELS.slice(0, 2).map(({ id }) => id);
      const limited = await makeKey(account, { scopes: ["read"], channels: reach });
      await fc.assert(
        fc.asyncProperty(query, async ([filter, size, isLimited]) => {
          const expected = search(posts, filter, now, isLimited ? reach : null);
          // Long lists are read in few pages.
          const limit = expected.length > 400 ? 200 : size;
          expect(await listIds(isLimited ? limited.key : account.key, filter, limit)).toEqual(expected);
        }),
        { seed, numRuns: isWhole ? 75 : 10 },
      );
    },
  );
});

describe("a page of events", () => {
  /** Fills the feed with events of two channels. Only one in `each` events belongs to `rare`. */
  const fill = async ({ workspace }: Account, often: string, rare: string, count: number, each: number) => {
    await testEnv.DB.prepare("DELETE FROM events WHERE workspace_id = ?").bind(workspace).run();
    await testEnv.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?4),
        feed (i, channel) AS (SELECT i, iif(i % ?5 = 0, ?3, ?2) FROM n)
      INSERT INTO events (workspace_id, seq, id, event, post_id, channel_id, dedupe_key, body, created_at)
      SELECT ?1, i, 'evt_' || i, 'delivery.succeeded', 'post_' || i, channel, 1, json_object('id', 'evt_' || i, 'event', 'delivery.succeeded',
        'channel', channel, 'actor', json_object('id', iif(channel = ?3, 'usr_rare', 'usr_often'))), 1 FROM feed`,
    )
      .bind(workspace, often, rare, count, each)
      .run();
  };

  it.each(["newest", "oldest"])(
    "each page of events is full even if few events belong to the channel or the actor (%s)",
    async (order) => {
      const account = await signUp();
      const [often, rare] = [await connect(account.key, "telegram"), await connect(account.key, "bluesky")];
      await fill(account, often.id, rare.id, 12_000, 1_500);
      const limited = await makeKey(account, { scopes: ["read"], channels: [rare.id] });
      const expected = Array.from({ length: 8 }, (_, i) => `evt_${(i + 1) * 1_500}`);
      for (const [key, filter] of [
        [account.key, `channel=${rare.id}`],
        [account.key, "actor=usr_rare"],
        [limited.key, "event=delivery.succeeded"],
      ]) {
        const allIds: string[] = [];
        for (let cursor = ""; allIds.length < 8; ) {
          const { body } = await call<{ events: { id: string }[]; next: string | null }>(
            "GET",
            `/v1/events?${filter}&order=${order}&limit=3${cursor}`,
            { token: key ?? "" },
          );
          allIds.push(...body.events.map(({ id }) => id));
          expect(body.events).toHaveLength(allIds.length === 8 ? 2 : 3);
          if (order === "newest") expect(body.next === null).toBe(allIds.length === 8);
          cursor = `&cursor=${body.next}`;
        }
        expect(allIds, filter).toEqual(order === "newest" ? expected.toReversed() : expected);
      }
    },
  );
});

it("the requested connectors are listed page by page", async () => {
  const { key } = await signUp();
  const requested = ["reddit", "discord", "snapchat"];
  for (const platform of requested) {
    expect((await call("POST", "/v1/connector-requests", { token: key, body: { platform } })).status).toBe(201);
  }
  const listed = await readFullPages(2, async (cursor) => {
    const path = `/v1/connector-requests?limit=2${cursor === null ? "" : `&cursor=${cursor}`}`;
    const { body } = await call<{ connector_requests: { platform: string }[]; next: string | null }>("GET", path, {
      token: key,
    });
    return { rows: body.connector_requests.map(({ platform }) => platform), next: body.next };
  });
  expect(listed.sort()).toEqual(requested.toSorted());
});
