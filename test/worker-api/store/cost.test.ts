import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { compose } from "../../../src/compose.ts";
import { POST_STATUSES, type PostStatus } from "../../../src/domain/posts/post.ts";
import { sweep } from "../../../src/maintenance/sweep.ts";
import { cursorAfter } from "../../../src/operations/cursor.ts";
import { measureCost } from "../../support/cost-of.ts";
import { countedDatabase } from "../../support/counted-db.ts";
import { testEnv } from "../../support/env.ts";
import { isExtensive } from "../../support/sampled.ts";
import { type Account, connect, type PostBody, signUp, uploadImage } from "../../support/world.ts";

describe("a workspace of 100,000 posts next to another one", () => {
  const POSTS = 100_000;
  let account: Account;
  let neighbour: Account;

  // A long history, then 30,000 scheduled posts. Ten of those are due and wait, and ten posts are being published.
  const IS_DUE = "(i % 3000 = 0 OR i % 10000 = 7)";
  const STATUS = `CASE WHEN i <= 5 THEN 'failed' WHEN i > 70000 OR i % 10000 = 7 THEN 'scheduled'
    WHEN i % 50 = 0 THEN 'cancelled' WHEN i % 97 = 0 THEN 'partially_published' WHEN i % 200 = 1 THEN 'draft'
    ELSE 'published' END`;
  /** The neighbour has fewer posts of each kind, but far more than any page. */
  const buildNumbers = ({ workspace }: Account) => {
    const step = workspace === account.workspace || isExtensive ? 1 : 7;
    return `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + ${step} FROM n WHERE i < ${POSTS})`;
  };

  beforeAll(async () => {
    [account, neighbour] = [await signUp(), await signUp()];
    const { DB } = testEnv;
    for (const owner of [account, neighbour]) {
      const [{ workspace }, numbers] = [owner, buildNumbers(owner)];
      await DB.prepare(
        `INSERT INTO posts (workspace_id, id, status, text, media, channels, overrides, metadata, publish_at, due_at,
            timezone, created_at, updated_at) ${numbers}
          SELECT ?1, printf('post_%026d', i), ${STATUS}, 'x', '[]', '[]', '{}', '{}',
            CASE WHEN ${IS_DUE} THEN ?2 - 60000 ELSE ?2 + (i - 70000) * 60000 END,
            CASE WHEN ${IS_DUE} THEN ?2 - 60000 ELSE ?2 + (i - 70000) * 60000 END, 'UTC', ?2 + (min(i, 70000) - 80000) * 60000, i FROM n`,
      )
        .bind(workspace, Date.now())
        .run();
      await DB.prepare(
        `INSERT INTO deliveries (workspace_id, post_id, channel_id, id, platform, state, started_at,
            next_at) ${numbers}
          SELECT ?1, printf('post_%026d', i), printf('ch_%026d', c.value), printf('dlv_%026d', i * 2 + c.value),
            'telegram', 'pending', iif(i % 10000 = 7, 1, NULL),
            iif(${STATUS} = 'scheduled' AND NOT ${IS_DUE}, ?2 + i * 60000, NULL)
          FROM n JOIN json_each('[0,1]') c ON c.value = 0 OR i % 3 = 0 WHERE ${STATUS} <> 'draft'`,
      )
        .bind(workspace, Date.now())
        .run();
      await DB.prepare(
        `INSERT INTO media (workspace_id, id, kind, state, object_key, content_type, bytes, created_at, expires_at) ${numbers}
          SELECT ?1, printf('med_%026d', i), 'image', iif(i % 10 = 0, 'ready', 'expired'), 'm/x/y', 'image/png', 1, i,
            iif(i % 20 = 0, NULL, ?2 + iif(i % 10 = 0, 1, -1) * i * 60000) FROM n`,
      )
        .bind(workspace, Date.now())
        .run();
    }
    // The first use of a key in a while is recorded, so it happens before the measurements.
    await measureCost(account, "GET", "/v1/workspace");
  }, 120_000);
  afterAll(async () => {
    await testEnv.DB.prepare("DELETE FROM workspaces WHERE id IN (?, ?)")
      .bind(account.workspace, neighbour.workspace)
      .run();
  }, 120_000);

  /** The cursor of a page that begins below the `i`th row. */
  const below = (prefix: string, i: number) => cursorAfter(`${prefix}_${String(i).padStart(26, "0")}`);

  const countUnfinishedOfOthers = async () =>
    Number(
      await testEnv.DB.prepare(
        `SELECT COUNT(*) AS n FROM posts WHERE status = 'scheduled' AND due_at <= ? AND workspace_id NOT IN (?, ?)`,
      )
        .bind(Date.now(), account.workspace, neighbour.workspace)
        .first("n"),
    );

  const lists: [PostStatus | null, number, number | null, number][] = [
    // The status, the limit, the post below which the page begins, and the number of posts on the page.
    [null, 50, null, 50],
    [null, 50, 50_000, 50],
    [null, 200, 300, 200],
    ["draft", 50, null, 50],
    ["draft", 50, 30_000, 50],
    ["awaiting_approval", 50, null, 0],
    ["scheduled", 50, null, 50],
    ["scheduled", 50, 75_000, 50],
    ["queued", 50, null, 10],
    ["queued", 50, 71_000, 0],
    ["publishing", 50, null, 10],
    ["publishing", 50, 40_000, 4],
    ["published", 50, null, 50],
    ["published", 200, 20_000, 200],
    ["partially_published", 50, null, 50],
    ["partially_published", 50, 10_000, 50],
    ["failed", 50, null, 5],
    ["failed", 2, 5, 2],
    ["cancelled", 50, null, 50],
    ["cancelled", 50, 40_000, 50],
  ];
  it("the measured lists have each status", () => {
    expect(new Set(lists.map(([status]) => status))).toEqual(new Set([null, ...POST_STATUSES]));
  });
  it.each(lists)(
    "a page of posts %s (limit %i, below %j) reads about as much as it returns",
    async (status, limit, position, count) => {
      const query = new URLSearchParams({ limit: String(limit) });
      if (status !== null) query.set("status", status);
      if (position !== null) query.set("cursor", below("post", position) ?? "");
      const unfinishedBefore = await countUnfinishedOfOthers();
      const { body, use } = await measureCost<{ posts: PostBody[]; looked_through: number | null }>(
        account,
        "GET",
        `/v1/posts?${query}`,
      );
      expect(body.posts).toHaveLength(count);
      if (status !== null)
        expect(new Set(body.posts.map((post) => post.status))).toEqual(new Set(count ? [status] : []));
      const returned = count + body.posts.flatMap(({ deliveries }) => deliveries).length;
      // The posts of all workspaces that wait or are being published are in one index, however long the history: ten of
      // each in both workspaces, and those of other files, whose number changes during the measurement. Each of them is
      // read as an index entry and as a row.
      const unfinished = Math.max(unfinishedBefore, await countUnfinishedOfOthers());
      const together = status === "queued" || status === "publishing" ? 190 + 2 * unfinished : 0;
      // Without a status, the newest posts that are not drafts are read. A status that most posts have is searched for
      // among all posts, and the newest 30,000 posts here are scheduled.
      const isMost = status === "published" || status === "scheduled";
      const searchedRows = status === null ? 2 * limit : isMost ? 12 * (body.looked_through ?? 0) : 0;
      if (isMost)
        expect(body.looked_through).toBeLessThanOrEqual(position === null && status === "published" ? 40_000 : 1_300);
      // Each post is measured before it is read, so that no page is longer than a megabyte.
      expect(use.rowsRead).toBeLessThanOrEqual(20 + 5 * returned + 2 * count + together + searchedRows);
      expect(use.rowsWritten).toBe(0);
      expect(use.roundTrips).toBeLessThanOrEqual(isMost ? 5 : 1);
    },
  );

  it.each([
    ["limit=60", 60],
    [`limit=200&cursor=${below("med", 50_000)}`, 200],
    [`ids=${[1, 500, 99_999].map((i) => `med_${String(i).padStart(26, "0")}`).join(",")}`, 3],
  ])("a page of the library (%s) reads only what it returns", async (query, count) => {
    const { body, use } = await measureCost<{ media: unknown[] }>(account, "GET", `/v1/media?${query}`);
    expect(body.media).toHaveLength(count);
    expect(use.rowsRead).toBeLessThanOrEqual(10 + 2 * count);
    expect(use).toMatchObject({ roundTrips: 2, rowsWritten: 0 });
  });

  it("analytics reads sums, however many deliveries were measured", async () => {
    const { DB } = testEnv;
    const today = Math.floor(Date.now() / 86_400_000);
    for (const owner of [account, neighbour]) {
      const [{ workspace }, numbers] = [owner, buildNumbers(owner)];
      // Measurements of the last 40 days, on three networks.
      await DB.prepare(
        `INSERT INTO measurements (workspace_id, post_id, channel_id, platform, day, measured_at, views, likes, comments)
          ${numbers} SELECT ?1, d.post_id, d.channel_id, CASE i % 3 WHEN 0 THEN 'bluesky' WHEN 1 THEN 'x' ELSE 'threads' END,
            ?2 - i % 40, ?2 * 86400000 + i, iif(i % 7 = 0, NULL, 1), 2, 3
          FROM n JOIN deliveries d ON d.workspace_id = ?1 AND d.post_id = printf('post_%026d', i)
            AND d.channel_id = printf('ch_%026d', 0)`,
      )
        .bind(workspace, today)
        .run();
      await DB.prepare(
        `INSERT INTO published_counts SELECT workspace_id, day, json_group_object(platform, n) FROM
          (SELECT workspace_id, day, platform, COUNT(*) AS n FROM measurements WHERE workspace_id = ?1 GROUP BY 1, 2, 3)
          GROUP BY 1, 2`,
      )
        .bind(workspace)
        .run();
      await DB.prepare(
        `INSERT INTO measured_days (workspace_id, day, platform, views_sum, views_count, likes_sum,
            likes_count, comments_sum, comments_count)
          SELECT workspace_id, day, platform, TOTAL(views), COUNT(views), SUM(likes), COUNT(likes),
            SUM(comments), COUNT(comments) FROM measurements WHERE workspace_id = ?1 GROUP BY 1, 2, 3`,
      )
        .bind(workspace)
        .run();
    }
    for (const days of [7, 30]) {
      const { body, use } = await measureCost<{
        networks: { platform: string; deliveries: number; figures: object }[];
      }>(account, "GET", `/v1/analytics?days=${days}`);
      const row = body.networks.find(({ platform }) => platform === "x");
      const expected = await DB.prepare(
        `SELECT COUNT(*) AS n, COUNT(views) AS v, MIN(measured_at) AS oldest, MAX(measured_at) AS newest
          FROM measurements WHERE workspace_id = ? AND platform = 'x' AND day > ?`,
      )
        .bind(account.workspace, today - days)
        .first<{ n: number; v: number; oldest: number; newest: number }>();
      if (expected === null) return expect.fail("nothing was measured");
      expect(row).toMatchObject({
        deliveries: expected.n,
        figures: {
          views: { value: expected.v, deliveries: expected.v },
          likes: {
            value: 2 * expected.n,
            deliveries: expected.n,
            oldest: new Date(expected.oldest).toISOString(),
            newest: new Date(expected.newest).toISOString(),
          },
        },
      });
      // There are three networks and three figures. Each day has its sums, and the first and the last measurement of
      // each figure.
      expect(use.rowsRead).toBeLessThanOrEqual(days * 3 * (1 + 3 * 2 * 2 + 4));
      expect(use).toMatchObject({ roundTrips: 2, rowsWritten: 0 });
    }
  });

  it("a sweep without work and a health check read no past or scheduled posts", async () => {
    const { db, use } = countedDatabase(testEnv.DB);
    const ctx = compose({ ...testEnv, DB: db }, () => {});
    await sweep(ctx);
    // The sweep walks through lanes and endpoints that other tests of this run have left, in pages of a bounded size.
    // The past and scheduled posts here are five times as many.
    expect(use.rowsRead).toBeLessThan(40_000);
    const health = await measureCost(account, "GET", "/healthz");
    expect(health.use).toMatchObject({ roundTrips: 1, rowsWritten: 0 });
    expect(health.use.rowsRead).toBeLessThan(2_000);
  });

  it.each([1, 10])("a post for %i channels costs a few round trips, and a few rows for each channel", async (count) => {
    const channels: string[] = [];
    while (channels.length < count) channels.push((await connect(account.key, "telegram")).id);
    const image = await uploadImage(account);
    const post = {
      text: "x",
      media: [image.id],
      channels,
      publish_at: new Date(Date.now() + 86_400_000).toISOString(),
    };
    const created = await measureCost<PostBody>(account, "POST", "/v1/posts", post);
    // The third and the fourth round trip check the rights of the uploader and of the caller again, after the file was
    // inspected.
    expect(created).toMatchObject({ status: 201, use: { roundTrips: 4 } });
    expect(created.use.rowsRead).toBeLessThanOrEqual(120 + 7 * count);
    // Two rows for the order of times, and two rows for each channel, by which its posts are found.
    expect(created.use.rowsWritten).toBeLessThanOrEqual(12 + 5 * count);
    const path = `/v1/posts/${created.body.id}`;
    const got = await measureCost(account, "GET", path);
    expect(got).toMatchObject({ status: 200, use: { roundTrips: 1, rowsWritten: 0 } });
    expect(got.use.rowsRead).toBeLessThanOrEqual(5 + 2 * count);
    const edited = await measureCost(account, "PATCH", path, { text: "y" });
    const cancelled = await measureCost(account, "DELETE", path);
    const deleted = await measureCost(account, "DELETE", `/v1/media/${image.id}`);
    for (const { status, use } of [edited, cancelled, deleted]) {
      expect(status).toBeLessThan(300);
      expect(use.rowsRead).toBeLessThanOrEqual(140 + 20 * count);
      expect(use.roundTrips).toBeLessThanOrEqual(3);
    }
  });
});
