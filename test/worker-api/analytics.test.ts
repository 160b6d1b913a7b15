// The networks' figures of posts, through the API.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { figuresByDay, postsByFigure, readAnalytics } from "../../src/contract/analytics.ts";
import { MEASURED_COMPARED_MAX } from "../../src/domain/limits.ts";
import { check } from "../support/after.ts";
import { measureCost } from "../support/cost-of.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, getPost, PLATFORMS, post, signUp } from "../support/world.ts";

type Analytics = z.output<(typeof readAnalytics)["result"]>;

async function getAnalytics(key: string, query = "") {
  const answer = await call<Analytics>("GET", `/v1/analytics${query}`, { token: key });
  expect(answer.status).toBe(200);
  return answer.body;
}
const findRow = ({ networks }: Analytics, platform: string) =>
  networks.find((row) => row.platform === platform) ?? expect.fail("no such row");

async function publish(key: string, channel: { id: string }) {
  const { id } = await post(key, { text: "counted", channels: [channel.id] });
  expect((await finished(key, id)).status).toBe("published");
  return id;
}

describe("analytics", () => {
  it("analytics has a row for each network, and no figure that was not measured", async () => {
    const { key } = await signUp();
    const { days, networks } = await getAnalytics(key);
    expect(days).toBe(30);
    expect(networks.map(({ platform }) => platform).sort()).toEqual([...PLATFORMS].sort());
    for (const row of networks) {
      expect(row).toMatchObject({ deliveries: 0, figures: {} });
      expect(row.note).toBe(
        row.measures ? "Nothing was published there in these days." : "This network reports no figures.",
      );
    }
  });

  it("analytics adds up a network's figures of all deliveries, with their number and the time of measurement", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    const [firstId, secondId] = [await publish(key, channel), await publish(key, channel)];
    expect(findRow(await getAnalytics(key), "bluesky")).toMatchObject({
      deliveries: 2,
      figures: {},
      note: "Nothing has been measured yet.",
    });

    const before = Date.now();
    await check(key, firstId);
    const first = findRow(await getAnalytics(key, "?days=7"), "bluesky").figures;
    expect(Object.keys(first)).toContain("likes");
    for (const figure of Object.values(first)) {
      expect(figure).toMatchObject({ deliveries: 1, oldest: figure.newest });
      expect(Date.parse(figure.oldest)).toBeGreaterThanOrEqual(before - 1_000);
    }

    await check(key, secondId);
    const total = findRow(await getAnalytics(key, "?days=7"), "bluesky");
    expect(total).toMatchObject({ deliveries: 2, note: null });
    expect(total.figures.likes?.deliveries).toBe(2);
    expect(total.figures.likes?.oldest).toBe(first.likes?.oldest);
    const stored = await testEnv.DB.prepare("SELECT SUM(likes) AS sum FROM measurements WHERE post_id IN (?, ?)")
      .bind(firstId, secondId)
      .first("sum");
    expect(total.figures.likes?.value).toBe(stored);

    // A delivery that is measured again counts once, with its latest figures.
    await testEnv.DB.prepare("UPDATE measurements SET likes = likes + 5 WHERE post_id = ?").bind(firstId).run();
    await testEnv.DB.prepare("UPDATE measured_days SET likes_sum = likes_sum + 5 WHERE likes_sum = ?")
      .bind(stored)
      .run();
    await check(key, firstId);
    const again = findRow(await getAnalytics(key), "bluesky").figures.likes;
    expect(again).toMatchObject({ deliveries: 2, value: stored });
    expect(Date.parse(again?.newest ?? "")).toBeGreaterThanOrEqual(Date.parse(total.figures.likes?.newest ?? ""));
  });

  it("the row of a network without figures says so", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const id = await publish(key, channel);
    await check(key, id);
    expect(findRow(await getAnalytics(key), "telegram")).toEqual({
      platform: "telegram",
      measures: false,
      deliveries: 1,
      figures: {},
      note: "This network reports no figures.",
      previous: null,
    });
  });

  it.each(["8", "-7", "x", "", "30.0"])("analytics with days=%s is refused", async (days) => {
    const { key } = await signUp();
    const answer = await call("GET", `/v1/analytics?days=${days}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_days", field: "/days" } });
  });

  it("analytics shows no figures of another workspace", async () => {
    const [mine, stranger] = [await signUp(), await signUp()];
    const channel = await connect(mine.key, "bluesky");
    await check(mine.key, await publish(mine.key, channel));
    expect(findRow(await getAnalytics(stranger.key), "bluesky")).toMatchObject({ deliveries: 0, figures: {} });
  });
});

type ByFigure = z.output<(typeof postsByFigure)["result"]>;
type ByDay = z.output<(typeof figuresByDay)["result"]>;

const rankPosts = (key: string, query: string) =>
  call<ByFigure>("GET", `/v1/analytics/posts?platform=bluesky&figure=likes&${query}`, { token: key });
/** Sets the number of likes that the network reported for a post. */
const setLikes = (id: string, likes: number | null) =>
  testEnv.DB.prepare("UPDATE measurements SET likes = ? WHERE post_id = ?").bind(likes, id).run();

describe("the figures of a post", () => {
  it("each delivery has its figures with the time of measurement, and no figure that was not reported", async () => {
    const { key } = await signUp();
    const [measured, silent] = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const { id } = await post(key, { text: "counted", channels: [measured.id, silent.id] });
    const before = await finished(key, id);
    expect(before.deliveries.map(({ figures }) => figures)).toEqual([{}, {}]);
    await check(key, id);
    const [measuredDelivery, silentDelivery] = (await getPost(key, id)).deliveries;
    expect(silentDelivery?.figures).toEqual({});
    const row = await testEnv.DB.prepare("SELECT likes, measured_at FROM measurements WHERE post_id = ?")
      .bind(id)
      .first<{ likes: number; measured_at: number }>();
    expect(measuredDelivery?.figures.likes).toEqual({
      value: row?.likes,
      measured_at: new Date(row?.measured_at ?? 0).toISOString(),
    });
    // Bluesky counts no views, so the figure is missing.
    expect(measuredDelivery?.figures).not.toHaveProperty("views");
    const listed = await call<{ posts: { deliveries: unknown[] }[] }>("GET", "/v1/posts", { token: key });
    expect(listed.body.posts[0]?.deliveries[0]).toMatchObject({ figures: { likes: { value: row?.likes } } });
  });

  it("posts of one network are ranked by a figure, page by page, without posts that lack the figure", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    const ids = [];
    for (const likes of [3, 40, null, 7, 7]) {
      const id = await publish(key, channel);
      await check(key, id);
      await setLikes(id, likes);
      ids.push(id);
    }
    const [three = "", forty = "", , seven = "", otherSeven = ""] = ids;
    const first = (await rankPosts(key, "limit=3")).body;
    expect(first.posts.map((entry) => entry.post)).toEqual([forty, seven, otherSeven]);
    expect(first.compared).toBeNull();
    expect(first.posts[0]).toMatchObject({
      channel: channel.id,
      platform: "bluesky",
      figures: { likes: { value: 40 } },
      url: expect.stringContaining("http"),
    });
    const second = (await rankPosts(key, `limit=3&cursor=${first.next}`)).body;
    expect(second).toMatchObject({ posts: [{ post: three }], next: null });
    // If a page ends between two posts with the same figure, the next page begins with the second one.
    const cut = (await rankPosts(key, "limit=2")).body;
    expect((await rankPosts(key, `limit=2&cursor=${cut.next}`)).body.posts[0]?.post).toBe(otherSeven);
    expect((await rankPosts((await signUp()).key, "")).body.posts).toEqual([]);
  });

  it("the ranking leaves out posts that were published before the requested days", async () => {
    const { key } = await signUp();
    const id = await publish(key, await connect(key, "bluesky"));
    await check(key, id);
    await setLikes(id, 1);
    await testEnv.DB.prepare("UPDATE measurements SET day = day - 7 WHERE post_id = ?").bind(id).run();
    expect((await rankPosts(key, "days=7")).body.posts).toEqual([]);
    expect((await rankPosts(key, "days=30")).body.posts).toHaveLength(1);
  });

  it("a key that is limited to some channels ranks only the posts that it may read", async () => {
    const account = await signUp();
    const { key, session, workspace } = account;
    const [allowedChannel, otherChannel] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
    const allowedId = await publish(key, allowedChannel);
    const { id: sharedId } = await post(key, { text: "both", channels: [allowedChannel.id, otherChannel.id] });
    await finished(key, sharedId);
    for (const id of [allowedId, sharedId]) {
      await check(key, id);
      await setLikes(id, 5);
    }
    const keyAnswer = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
      token: session,
      body: { name: "one", scopes: ["read"], channels: [allowedChannel.id] },
    });
    expect((await rankPosts(keyAnswer.body.key, "")).body.posts.map(({ post: id }) => id)).toEqual([allowedId]);
    expect((await rankPosts(key, "")).body.posts).toHaveLength(3);
  });

  it("the ranking reads a bounded number of rows, and says so if it did not compare all posts", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "bluesky");
    const id = await publish(key, channel);
    const many = MEASURED_COMPARED_MAX + 300;
    const copies = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})`;
    const listColumns = async (table: string) => {
      const { results } = await testEnv.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
        name: string;
      }>();
      return results.map(({ name }) => name);
    };
    for (const table of ["posts", "deliveries"]) {
      const names = await listColumns(table);
      const idColumn = table === "posts" ? "id" : "post_id";
      const values = names.map((name) => (name === idColumn ? `${idColumn} || printf('%05d', i)` : name));
      await testEnv.DB.prepare(
        `${copies} INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, n WHERE workspace_id = ? AND ${idColumn} = ?`,
      )
        .bind(workspace, id)
        .run();
    }
    await testEnv.DB.prepare(
      `${copies} INSERT INTO measurements (workspace_id, post_id, channel_id, platform, day, measured_at, likes)
        SELECT workspace_id, ? || printf('%05d', i), channel_id, platform, ? - i % 20, ?, i FROM deliveries, n
        WHERE workspace_id = ? AND post_id = ?`,
    )
      .bind(id, Math.floor(Date.now() / 86_400_000), Date.now(), workspace, id)
      .run();
    const { body, use } = await measureCost<ByFigure>(
      account,
      "GET",
      "/v1/analytics/posts?platform=bluesky&figure=likes&limit=10",
    );
    expect(body.posts).toHaveLength(10);
    expect(body.compared).toBe(MEASURED_COMPARED_MAX);
    expect(use.rowsRead).toBeLessThan(3 * MEASURED_COMPARED_MAX + 500);
    expect(use.rowsWritten).toBe(0);
  });

  it.each([
    ["figure=likes", "missing_field", "/platform"],
    ["platform=bluesky", "missing_field", "/figure"],
    ["platform=bluesky&figure=joy", "invalid_field", "/figure"],
    ["platform=bluesky&figure=likes&cursor=x", "unreadable_cursor", "/cursor"],
    ["platform=bluesky&figure=likes&days=8", "invalid_days", "/days"],
  ])("a ranking by %s is refused with %s", async (query, error, field) => {
    const { key } = await signUp();
    const answer = await call("GET", `/v1/analytics/posts?${query}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});

describe("figures by day", () => {
  it("figures by day have a row for each day and each network with a published post", async () => {
    const { key } = await signUp();
    const empty = await call<ByDay>("GET", "/v1/analytics/days", { token: key });
    expect(empty).toMatchObject({ status: 200, body: { days: [] } });
    const [bluesky, telegram] = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const id = await publish(key, bluesky);
    await publish(key, telegram);
    await check(key, id);
    const { body } = await call<ByDay>("GET", "/v1/analytics/days?days=7", { token: key });
    expect(body.days).toHaveLength(14);
    expect(new Set(body.days.map(({ date, platform }) => `${date} ${platform}`)).size).toBe(14);
    expect(body.days.map(({ date }) => date)).toEqual(
      body.days
        .map(({ date }) => date)
        .sort()
        .reverse(),
    );
    const [today, silent] = body.days;
    expect(today).toMatchObject({ date: new Date().toISOString().slice(0, 10), platform: "bluesky", deliveries: 1 });
    expect(today?.figures.likes).toMatchObject({ deliveries: 1 });
    expect(silent).toMatchObject({ platform: "telegram", deliveries: 1, figures: {} });
    expect(
      body.days.slice(2).every(({ deliveries, figures }) => deliveries === 0 && Object.keys(figures).length === 0),
    ).toBe(true);
  });
});
