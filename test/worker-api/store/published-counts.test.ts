// How many deliveries were published is counted 32 places of the feed at a time; whoever asks adds what came since.
import { beforeEach, describe, expect, it } from "vitest";
import { openDatabase } from "../../../src/store/db/db.ts";
import { publishedSince } from "../../../src/store/metrics.ts";
import { testEnv } from "../../support/env.ts";
import { signUp } from "../../support/world.ts";

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
let workspace: string;

/** One live delivery on each place of the feed, in so many statements; `places` may have gaps. */
async function published(places: number[], { platform = "x", at = TODAY + 1_000, together = false } = {}) {
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
      "post_id, channel_id, id, platform, position, state",
      `'post_' || value, 'c', value, '${platform}', 0, 'live'`,
    ),
    ...rows(
      "events",
      "seq, id, event, post_id, channel_id, dedupe_key, body, created_at",
      `value, 'evt_' || value, 'delivery.succeeded', 'post_' || value, 'c', 1, json_object('platform', '${platform}'), ${at}`,
    ),
  ]);
}
const between = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);
async function counted(since = TODAY) {
  const sums: Record<string, number> = {};
  for (const { platform, deliveries } of await publishedSince(openDatabase(testEnv.DB), workspace, since)) {
    sums[platform] = (sums[platform] ?? 0) + deliveries;
  }
  return sums;
}
const written = async () => {
  const sql = "SELECT COALESCE(SUM(value), 0) AS n FROM published_counts, json_each(counts) WHERE workspace_id = ?";
  return testEnv.DB.prepare(sql).bind(workspace).first("n");
};

beforeEach(async () => {
  ({ workspace } = await signUp());
});

describe("the count of published deliveries", () => {
  it.each([1, 31, 32, 33, 64, 95])(
    "is counted in full after %i deliveries, however they were written",
    async (places) => {
      await published(between(1, places + 1));
      expect(await counted()).toEqual({ x: places });
      await published(between(places + 1, places + 41), { platform: "bluesky", together: true });
      expect(await counted()).toEqual({ x: places, bluesky: 40 });
    },
  );

  it("is written down once for 32 places", async () => {
    await published(between(1, 32));
    expect(await written()).toBe(0);
    await published([32]);
    expect(await written()).toBe(31);
    await published(between(33, 65));
    expect(await written()).toBe(63);
    expect(await counted()).toEqual({ x: 64 });
  });

  it("is counted also where a place of the feed stayed empty", async () => {
    await published([...between(1, 31), 33, 34, 63, 66, 100]);
    expect(await counted()).toEqual({ x: 35 });
  });

  it("counts for the day of its event", async () => {
    await published(between(1, 21), { at: TODAY - 1 });
    await published(between(21, 41), { at: TODAY });
    await published(between(41, 45), { at: TODAY - 1 });
    expect(await counted()).toEqual({ x: 20 });
    expect(await counted(TODAY - 1)).toEqual({ x: 44 });
  });
});
