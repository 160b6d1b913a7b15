// What the networks counted, through the API.
import { describe, expect, it } from "vitest";
import type * as z from "zod";
import type { readAnalytics } from "../../src/contract/analytics.ts";
import { check } from "../support/after.ts";
import { testEnv } from "../support/env.ts";
import { call, connect, finished, PLATFORMS, post, signUp } from "../support/world.ts";

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
