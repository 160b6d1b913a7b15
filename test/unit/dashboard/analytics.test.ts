// The figures of a period, and their change against the period before.
import { expect, it } from "vitest";
import { computeChange, type Day, listDates, toCsv, toSeries } from "../../../src/dashboard/analytics/figures.ts";

const TODAY = "2026-11-26";
const makeDay = (date: string, likes: number): Day => ({
  date,
  platform: "x",
  deliveries: 1,
  figures: { likes: { value: likes, deliveries: 1, oldest: `${date}T10:00:00Z`, newest: `${date}T10:00:00Z` } },
  previous: null,
});
const DAYS = [makeDay("2026-11-26", 30), makeDay("2026-11-20", 30), makeDay("2026-11-19", 40)];

const likes = (value: number) => ({ likes: { value, deliveries: 1, oldest: TODAY, newest: TODAY } });

it("compares a figure with the period before, unless that has none or zero", () => {
  const compare = (before: Day["figures"]) =>
    computeChange({ figures: likes(60), previous: { deliveries: 1, figures: before } }, "likes");
  expect([compare(likes(40)), compare(likes(0)), compare({})]).toEqual([50, null, null]);
  expect(computeChange({ figures: likes(60), previous: null }, "likes")).toBeNull();
});

it("leaves a day without a figure empty instead of zero", () => {
  expect(toSeries(DAYS, listDates("2026-11-24", TODAY), "likes")).toEqual([null, null, 30]);
});

it("writes one line of CSV for each day of the period", () => {
  expect(toCsv(DAYS, listDates("2026-11-20", TODAY))).toBe(
    "date,network,posts,likes\n2026-11-26,x,1,30\n2026-11-20,x,1,30\n",
  );
});
