// Published deliveries are counted in blocks of 32 positions of the feed, and a read adds those since the last block.
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/db/db.ts";
import { publishedSince } from "../../../src/store/metrics.ts";
import { testEnv } from "../../support/env.ts";
import { signUp } from "../../support/world.ts";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
let workspace: string;

/**
 * Writes a live delivery at each of these positions of the feed, which may have gaps, in one or in several statements.
 */
async function writeDeliveries(
  places: number[],
  { platform = "x", publishedAt = TODAY + 1_000, together = false } = {},
) {
  const { DB } = testEnv;
  const rows = (table: string, columns: string, values: string) => {
    const insert = `INSERT INTO ${table} (workspace_id, ${columns}) SELECT ?1, ${values} FROM json_each(?2) WHERE TRUE ORDER BY value`;
    const lists = together ? [places] : places.map((place) => [place]);
    return lists.map((list) => DB.prepare(insert).bind(workspace, JSON.stringify(list)));
  };
  await DB.batch([
    ...rows(
      "posts",
      "id, status, text, media, channels, overrides, metadata, timezone, created_at, updated_at, finished_at",
      "'post_' || value, 'published', 'x', '[]', '[]', '{}', '{}', 'UTC', 1, 1, 1",
    ),
    ...rows(
      "deliveries",
      "post_id, channel_id, id, platform, state",
      `'post_' || value, 'c', value, '${platform}', 'live'`,
    ),
    ...rows(
      "events",
      "seq, id, event, post_id, channel_id, dedupe_key, body, created_at",
      `value, 'evt_' || value, 'delivery.succeeded', 'post_' || value, 'c', 1, json_object('platform', '${platform}'), ${publishedAt}`,
    ),
  ]);
}
const between = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
async function countPublished(since = TODAY) {
  const sums: Record<string, number> = {};
  for (const { platform, deliveries } of await publishedSince(openDatabase(testEnv.DB), workspace, since / DAY_MS)) {
    sums[platform] = (sums[platform] ?? 0) + deliveries;
  }
  return sums;
}
const readStoredCount = async () => {
  const sql = "SELECT COALESCE(SUM(value), 0) AS n FROM published_counts, json_each(counts) WHERE workspace_id = ?";
  return testEnv.DB.prepare(sql).bind(workspace).first("n");
};

beforeEach(async () => {
  ({ workspace } = await signUp());
});

describe("the count of published deliveries", () => {
  it.each([1, 31, 32, 33, 64, 95])(
    "the count is complete after %i deliveries, however they were written",
    async (places) => {
      await writeDeliveries(between(1, places + 1));
      expect(await countPublished()).toEqual({ x: places });
      await writeDeliveries(between(places + 1, places + 41), { platform: "bluesky", together: true });
      expect(await countPublished()).toEqual({ x: places, bluesky: 40 });
    },
  );

  it("the count is stored once for 32 positions of the feed", async () => {
    await writeDeliveries(between(1, 32));
    expect(await readStoredCount()).toBe(0);
    await writeDeliveries([32]);
    expect(await readStoredCount()).toBe(31);
    await writeDeliveries(between(33, 65));
    expect(await readStoredCount()).toBe(63);
    expect(await countPublished()).toEqual({ x: 64 });
  });

  it("the count is complete if some positions of the feed are empty", async () => {
    await writeDeliveries([...between(1, 31), 33, 34, 63, 66, 100]);
    expect(await countPublished()).toEqual({ x: 35 });
  });

  it("a delivery counts for the day of its event", async () => {
    await writeDeliveries(between(1, 21), { publishedAt: TODAY - 1 });
    await writeDeliveries(between(21, 41), { publishedAt: TODAY });
    await writeDeliveries(between(41, 45), { publishedAt: TODAY - 1 });
    expect(await countPublished()).toEqual({ x: 20 });
    expect(await countPublished(TODAY - DAY_MS)).toEqual({ x: 44 });
  });
});
