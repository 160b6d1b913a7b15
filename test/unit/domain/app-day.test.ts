// Some networks accept only a certain number of posts a day from an app.
import { expect, it } from "vitest";
import { whyNextDay } from "../../../src/domain/posts/app-day.ts";

const RULE = { platform: "examplenet", app_posts_per_day: { limit: 3, timezone: "America/Los_Angeles" } };
/** Noon in California, in winter. */
const NOON = Date.parse("2026-11-26T20:00:00Z");
const explainWait = (counts: (number | null)[], before = 0, granted: Record<string, number> = {}) =>
  whyNextDay(RULE, granted, { dueAt: NOON, before }, async () => counts);

it("a post waits for the next day once the posts of all databases and its own earlier deliveries fill the day", async () => {
  expect(await explainWait([1, 1])).toBeNull();
  expect((await explainWait([2, 1]))?.words).toContain("accepts 3 posts a day");
  expect(await explainWait([1, 1], 1)).toMatchObject({ until: "2026-11-27T08:00:00.000Z" });
});

it("a database that does not answer counts as zero posts, and a larger quota of the network applies", async () => {
  expect(await explainWait([2, null])).toBeNull();
  expect(await explainWait([3, null])).not.toBeNull();
  expect(await explainWait([3], 0, { examplenet: 4 })).toBeNull();
  expect((await explainWait([4], 0, { examplenet: 4 }))?.words).toContain("accepts 4 posts");
});

it("posts are counted from the network's midnight, even on the day on which its clocks change", async () => {
  const spans: object[] = [];
  const countAt = (dueAt: number) =>
    whyNextDay(RULE, {}, { dueAt, before: 0 }, async (span, limit) => {
      spans.push({ from: new Date(span.from).toISOString(), to: span.to, limit });
      return [];
    });
  const autumn = Date.parse("2026-11-01T20:00:00Z");
  await countAt(NOON);
  await countAt(autumn);
  expect(spans).toEqual([
    { from: "2026-11-26T08:00:00.000Z", to: NOON, limit: 3 },
    { from: "2026-11-01T07:00:00.000Z", to: autumn, limit: 3 },
  ]);
});

it("posts on a network without a daily quota are not counted", async () => {
  const counted = whyNextDay({ platform: "x" }, { x: 1 }, { dueAt: NOON, before: 9 }, () => expect.fail("counted"));
  expect(await counted).toBeNull();
});
