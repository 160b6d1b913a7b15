// What the networks counted, through the API.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { figuresByDay, postsByFigure, readAnalytics } from "../../src/contract/analytics.ts";
import { MEASURED_COMPARED_MAX } from "../../src/domain/limits.ts";
import { check } from "../support/after.ts";
import { costOf } from "../support/cost-of.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, getPost, PLATFORMS, post, signUp } from "../support/world.ts";

type Analytics = z.output<(typeof readAnalytics)["result"]>;

async function analytics(key: string, query = "") {
  const answer = await call<Analytics>("GET", `/v1/analytics${query}`, { token: key });
  expect(answer.status).toBe(200);
  return answer.body;
}
const rowOf = ({ networks }: Analytics, platform: string) =>
  networks.find((row) => row.platform === platform) ?? expect.fail("no such row");

async function publish(key: string, channel: { id: string }) {
  const { id } = await post(key, { text: "counted", channels: [channel.id] });
  expect((await finished(key, id)).status).toBe("published");
  return id;
}

describe("analytics", () => {
  it("has a row for each network, and no zero that nobody measured", async () => {
    const { key } = await signUp();
    const { days, networks } = await analytics(key);
    expect(days).toBe(30);
    expect(networks.map(({ platform }) => platform).sort()).toEqual([...PLATFORMS].sort());
    for (const row of networks) {
      expect(row).toMatchObject({ deliveries: 0, figures: {} });
      expect(row.note).toBe(
        row.measures ? "Nothing was published there in these days." : "This network reports no figures.",
      );
    }
  });

  it("sums what a network reports of each delivery, and says how many did and when", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "bluesky");
    const [one, other] = [await publish(key, channel), await publish(key, channel)];
    expect(rowOf(await analytics(key), "bluesky")).toMatchObject({
      deliveries: 2,
      figures: {},
      note: "Nothing has been measured yet.",
    });

    const before = Date.now();
    await check(key, one);
    const first = rowOf(await analytics(key, "?days=7"), "bluesky").figures;
    expect(Object.keys(first)).toContain("likes");
    for (const figure of Object.values(first)) {
      expect(figure).toMatchObject({ deliveries: 1, oldest: figure.newest });
      expect(Date.parse(figure.oldest)).toBeGreaterThanOrEqual(before - 1_000);
    }

    await check(key, other);
    const both = rowOf(await analytics(key, "?days=7"), "bluesky");
    expect(both).toMatchObject({ deliveries: 2, note: null });
    expect(both.figures.likes?.deliveries).toBe(2);
    expect(both.figures.likes?.oldest).toBe(first.likes?.oldest);
    const stored = await testEnv.DB.prepare("SELECT SUM(likes) AS sum FROM measurements WHERE post_id IN (?, ?)")
      .bind(one, other)
      .first("sum");
    expect(both.figures.likes?.value).toBe(stored);

    // Read again, a delivery counts once, with what was read last.
    await testEnv.DB.prepare("UPDATE measurements SET likes = likes + 5 WHERE post_id = ?").bind(one).run();
    await testEnv.DB.prepare("UPDATE measured_days SET likes_sum = likes_sum + 5 WHERE likes_sum = ?")
      .bind(stored)
      .run();
    await check(key, one);
    const again = rowOf(await analytics(key), "bluesky").figures.likes;
    expect(again).toMatchObject({ deliveries: 2, value: stored });
    expect(Date.parse(again?.newest ?? "")).toBeGreaterThanOrEqual(Date.parse(both.figures.likes?.newest ?? ""));
  });

  it("a network that reports nothing says so", async () => {
    const { key } = await signUp();
    const channel = await connect(key, "telegram");
    const id = await publish(key, channel);
    await check(key, id);
    expect(rowOf(await analytics(key), "telegram")).toEqual({
      platform: "telegram",
      measures: false,
      deliveries: 1,
      figures: {},
      note: "This network reports no figures.",
    });
  });

  it.each(["8", "-7", "x", "", "30.0"])("days=%s is refused", async (days) => {
    const { key } = await signUp();
    const answer = await call("GET", `/v1/analytics?days=${days}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error: "invalid_days", field: "/days" } });
  });

  it("shows nothing of another workspace", async () => {
    const [mine, other] = [await signUp(), await signUp()];
    const channel = await connect(mine.key, "bluesky");
    await check(mine.key, await publish(mine.key, channel));
    expect(rowOf(await analytics(other.key), "bluesky")).toMatchObject({ deliveries: 0, figures: {} });
  });
});

type ByFigure = z.output<(typeof postsByFigure)["result"]>;
type ByDay = z.output<(typeof figuresByDay)["result"]>;

const byFigure = (key: string, query: string) =>
  call<ByFigure>("GET", `/v1/analytics/posts?platform=bluesky&figure=likes&${query}`, { token: key });
/** Says that the network reported so many likes of a post. */
const setLikes = (id: string, likes: number | null) =>
  testEnv.DB.prepare("UPDATE measurements SET likes = ? WHERE post_id = ?").bind(likes, id).run();

describe("the figures of a post", () => {
  it("stand on its delivery, each with when it was read, and nothing where nothing was reported", async () => {
    const { key } = await signUp();
    const [measured, silent] = [await connect(key, "bluesky"), await connect(key, "telegram")];
    const { id } = await post(key, { text: "counted", channels: [measured.id, silent.id] });
    const before = await finished(key, id);
    expect(before.deliveries.map(({ figures }) => figures)).toEqual([{}, {}]);
    await check(key, id);
    const [one, other] = (await getPost(key, id)).deliveries;
    expect(other?.figures).toEqual({});
    const row = await testEnv.DB.prepare("SELECT likes, measured_at FROM measurements WHERE post_id = ?")
      .bind(id)
      .first<{ likes: number; measured_at: number }>();
    expect(one?.figures.likes).toEqual({
      value: row?.likes,
      measured_at: new Date(row?.measured_at ?? 0).toISOString(),
    });
    // Bluesky counts no views, and no figure is made of that.
    expect(one?.figures).not.toHaveProperty("views");
    const listed = await call<{ posts: { deliveries: unknown[] }[] }>("GET", "/v1/posts", { token: key });
    expect(listed.body.posts[0]?.deliveries[0]).toMatchObject({ figures: { likes: { value: row?.likes } } });
  });

  it("order the posts of one network, page by page; what did not report the figure is left out", async () => {
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
    const first = (await byFigure(key, "limit=3")).body;
    expect(first.posts.map((one) => one.post)).toEqual([forty, seven, otherSeven]);
    expect(first.compared).toBeNull();
    expect(first.posts[0]).toMatchObject({
      channel: channel.id,
      platform: "bluesky",
      figures: { likes: { value: 40 } },
      url: expect.stringContaining("http"),
    });
    const second = (await byFigure(key, `limit=3&cursor=${first.next}`)).body;
    expect(second).toMatchObject({ posts: [{ post: three }], next: null });
    // A page that ends between two of the same figure goes on with the other.
    const cut = (await byFigure(key, "limit=2")).body;
    expect((await byFigure(key, `limit=2&cursor=${cut.next}`)).body.posts[0]?.post).toBe(otherSeven);
    expect((await byFigure((await signUp()).key, "")).body.posts).toEqual([]);
  });

  it("leave out what was published before these days", async () => {
    const { key } = await signUp();
    const id = await publish(key, await connect(key, "bluesky"));
    await check(key, id);
    await setLikes(id, 1);
    await testEnv.DB.prepare("UPDATE measurements SET day = day - 7 WHERE post_id = ?").bind(id).run();
    expect((await byFigure(key, "days=7")).body.posts).toEqual([]);
    expect((await byFigure(key, "days=30")).body.posts).toHaveLength(1);
  });

  it("of a key that is limited to some channels are those of the posts that it may know of", async () => {
    const account = await signUp();
    const { key, session, workspace } = account;
    const [one, other] = [await connect(key, "bluesky"), await connect(key, "bluesky")];
    const mine = await publish(key, one);
    const { id: both } = await post(key, { text: "both", channels: [one.id, other.id] });
    await finished(key, both);
    for (const id of [mine, both]) {
      await check(key, id);
      await setLikes(id, 5);
    }
    const made = await call<{ key: string }>("POST", `/v1/workspaces/${workspace}/keys`, {
      token: session,
      body: { name: "one", scopes: ["read"], channels: [one.id] },
    });
    expect((await byFigure(made.body.key, "")).body.posts.map(({ post: id }) => id)).toEqual([mine]);
    expect((await byFigure(key, "")).body.posts).toHaveLength(3);
  });

  it("are read from a bounded number of rows, and the answer says when not all were compared", async () => {
    const account = await signUp();
    const { key, workspace } = account;
    const channel = await connect(key, "bluesky");
    const id = await publish(key, channel);
    const many = MEASURED_COMPARED_MAX + 300;
    const copies = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${many})`;
    const columnsOf = async (table: string) => {
      const { results } = await testEnv.DB.prepare(`SELECT name FROM pragma_table_info('${table}')`).all<{
        name: string;
      }>();
      return results.map(({ name }) => name);
    };
    for (const table of ["posts", "deliveries"]) {
      const names = await columnsOf(table);
      const own = table === "posts" ? "id" : "post_id";
      const values = names.map((name) => (name === own ? `${own} || printf('%05d', i)` : name));
      await testEnv.DB.prepare(
        `${copies} INSERT INTO ${table} (${names.join(", ")}) SELECT ${values.join(", ")} FROM ${table}, n WHERE workspace_id = ? AND ${own} = ?`,
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
    const { body, use } = await costOf<ByFigure>(
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
  ])("by %s are refused: %s", async (query, error, field) => {
    const { key } = await signUp();
    const answer = await call("GET", `/v1/analytics/posts?${query}`, { token: key });
    expect(answer).toMatchObject({ status: 422, body: { error, field } });
  });
});

describe("the figures of days", () => {
  it("have a row for each day and each network that something was published on", async () => {
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
