// The figures of a period, and their change against the period before.
import { expect, it } from "vitest";
import { computeChange, type Day, listDates, toCsv, toSeries } from "../../../src/dashboard/analytics/figures.ts";

const NOW = Date.parse("2026-11-26T12:00:00Z");
const makeDay = (date: string, likes: number): Day => ({
  date,
  platform: "x",
  deliveries: 1,
  figures: { likes: { value: likes, deliveries: 1, oldest: `${date}T10:00:00Z`, newest: `${date}T10:00:00Z` } },
  previous: null,
});
const DAYS = [makeDay("2026-11-26", 30), makeDay("2026-11-20", 30), makeDay("2026-11-19", 40)];

it("compares a week with the week before, and a month with nothing", () => {
  expect(computeChange(DAYS, "7", "likes", NOW)).toBe(50);
  expect(computeChange(DAYS, "7", "views", NOW)).toBeNull();
  expect(computeChange(DAYS, "30", "likes", NOW)).toBeNull();
});

it("leaves a day without a figure empty instead of zero", () => {
  expect(toSeries(DAYS, listDates(3, NOW), "likes")).toEqual([null, null, 30]);
});

it("writes one line of CSV for each day of the period", () => {
  expect(toCsv(DAYS, listDates(7, NOW))).toBe("date,network,posts,likes\n2026-11-26,x,1,30\n2026-11-20,x,1,30\n");
});
