import { expect, it } from "vitest";
import { readInstant, readTime } from "../../../cli/output/time.ts";

// 2026-11-21 is a Saturday; 12:30 UTC is 13:30 in Berlin.
const NOW = Date.UTC(2026, 10, 21, 12, 30);
it.each([
  ["2026-12-01T09:00:00Z", "2026-12-01T09:00:00Z"],
  ["2026-12-01T09:00:00+05:30", "2026-12-01T09:00:00+05:30"],
  ["2026-12-01 9:00", "2026-12-01T09:00"],
  ["+2h", "2026-11-21T14:30:00.000Z"],
  ["+1h30m", "2026-11-21T14:00:00.000Z"],
  ["+90 min", "2026-11-21T14:00:00.000Z"],
  ["+1d", "2026-11-22T13:30:00"],
  ["+2w", "2026-12-05T13:30:00"],
  ["18:15", "2026-11-21T18:15:00"],
  ["today 6:15pm", "2026-11-21T18:15:00"],
  ["tomorrow 9:00", "2026-11-22T09:00:00"],
  ["Tomorrow 12am", "2026-11-22T00:00:00"],
  ["monday 9:00", "2026-11-23T09:00:00"],
  ["sat 14:00", "2026-11-21T14:00:00"],
  ["sat 13:00", "2026-11-28T13:00:00"],
  ["now", "2026-11-21T12:30:00.000Z"],
  ["noon", "2026-11-21T12:00:00"],
  ["tomorrow noon", "2026-11-22T12:00:00"],
  ["monday Midnight", "2026-11-23T00:00:00"],
])("the typed time %s is read as %s in the time zone of Berlin", (typed, expected) => {
  expect(readTime(typed, NOW, "Europe/Berlin")).toBe(expected);
});

it.each([
  "",
  "soon",
  "9",
  "25:00",
  "9:60",
  "13pm",
  "tomorrow",
  "afternoon",
  "now noon",
  "someday 9:00",
  "+h",
  "-2h",
  "+999999999999h",
  "2026-12-01",
])("%j is rejected instead of being guessed", (typed) => {
  expect(readTime(typed, NOW, "Europe/Berlin")).toBeNull();
});

it("a span of days keeps the time of day across the end of summer time", () => {
  const before = Date.UTC(2026, 9, 24, 10, 0);
  expect(readTime("+1d", before, "Europe/Berlin")).toBe("2026-10-25T12:00:00");
  expect(readTime("+24h", before, "Europe/Berlin")).toBe("2026-10-25T10:00:00.000Z");
});

it.each([
  ["2026-12-24T09:00", "2026-12-24T08:00:00.000Z"],
  ["2026-07-01 9:00", "2026-07-01T07:00:00.000Z"],
  ["2026-12-24T09:00:00Z", "2026-12-24T09:00:00.000Z"],
  ["2026-12-24T09:00+09:00", "2026-12-24T00:00:00.000Z"],
  ["2027-03-28 2:30", "2027-03-28T01:30:00.000Z"],
  ["next-slot", null],
  ["2026-13-40 9:00", null],
  ["soon", null],
])("%s is read in the workspace's time zone if an instant is needed: %s", (typed, instant) => {
  expect(readInstant(typed, NOW, "Europe/Berlin")).toBe(instant);
});
