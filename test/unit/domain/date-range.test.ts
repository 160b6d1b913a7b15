// Ranges of days in a time zone: their edges, the days of instants, and invalid ranges.
import { describe, expect, it } from "vitest";
import {
  type DayRun,
  getInstants,
  lastDays,
  listRuns,
  rangeBefore,
  readRange,
  toDates,
} from "../../../src/domain/date-range.ts";
import { DAY_MS } from "../../../src/domain/limits.ts";

const NOW = Date.UTC(2026, 10, 26, 3);
const NEW_YORK = "America/New_York";
const read = (from: string, to?: string, timezone = NEW_YORK) => readRange({ from, to }, { timezone, now: NOW });

/** The day of an instant, found as the database finds it. */
function findDay(runs: DayRun[], instant: number): number {
  const run = runs.findLast(({ start }) => instant >= start) ?? expect.fail("before the range");
  return run.firstDay + Math.min(Math.floor((instant - run.start) / DAY_MS), run.days - 1);
}

describe("ranges of days", () => {
  it("the last days are UTC days and include the current one", () => {
    expect(toDates(lastDays(7, NOW))).toEqual({ from: "2026-11-20", to: "2026-11-26" });
    expect(getInstants(lastDays(1, NOW))).toEqual({ from: Date.UTC(2026, 10, 26), until: Date.UTC(2026, 10, 27) });
  });

  it("a range begins and ends at midnight in its zone, and includes its last date", () => {
    const range = read("2026-11-01", "2026-11-03");
    // The clocks are set back on 1 November, so that day has 25 hours.
    expect(getInstants(range)).toEqual({ from: Date.UTC(2026, 10, 1, 4), until: Date.UTC(2026, 10, 4, 5) });
    expect(toDates(rangeBefore(range))).toEqual({ from: "2026-10-29", to: "2026-10-31" });
  });

  it("a range without an end ends today, in its zone", () => {
    expect(toDates(read("2026-11-24")).to).toBe("2026-11-25");
    expect(toDates(read("2026-11-24", undefined, "Asia/Tokyo")).to).toBe("2026-11-26");
  });

  it.each([
    ["2026-11-20", "2026-11-19", "/to"],
    ["2025-11-01", "2026-11-02", "/to"],
    ["2026-11-26", "2026-11-27", "/from"],
    ["1999-12-31", "2000-01-01", "/from"],
  ])("refuses a range from %s to %s", (from, to, field) => {
    const detail = expect.objectContaining({ field });
    expect(() => read(from, to)).toThrow(expect.objectContaining({ code: "invalid_range", detail }));
  });

  it("accepts 366 days", () => {
    expect(read("2025-11-01", "2026-11-01").days).toBe(366);
  });

  it.each(["UTC", NEW_YORK, "Africa/Casablanca", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Sao_Paulo"])(
    "every hour of a range in %s belongs to its date on that clock",
    (timezone) => {
      const range = { firstDay: Date.UTC(2026, 0, 1) / DAY_MS, days: 400, timezone };
      const runs = listRuns(range);
      expect(runs.reduce((days, run) => days + run.days, 0)).toBe(400);
      const { from, until } = getInstants(range);
      const clock = new Intl.DateTimeFormat("en-CA", { timeZone: timezone, dateStyle: "short" });
      for (let instant = from; instant < until; instant += DAY_MS / 24) {
        const date = new Date(findDay(runs, instant) * DAY_MS).toISOString().slice(0, 10);
        if (date !== clock.format(instant)) expect.fail(`${new Date(instant).toISOString()} is not on ${date}`);
      }
      expect(findDay(runs, until - 1)).toBe(range.firstDay + 399);
    },
  );
});
