import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, it } from "vitest";
import { dailyLimitRefusal, isDailyLimit, waitAfter } from "../../../src/domain/daily-limit.ts";
import { DATABASE_LIMITS, OBJECT_LIMITS, OTHER_LIMITS, QUEUE_LIMITS } from "../../support/daily-limits.ts";

const NOW = Date.parse("2026-11-24T12:15:00.500Z");
const TEN_MINUTES_MS = 600_000;

describe.each([...OBJECT_LIMITS, ...QUEUE_LIMITS, ...DATABASE_LIMITS])("the error %s", (text) => {
  it("the error is recognized as a daily limit, even as the cause of another error", () => {
    expect(isDailyLimit(new Error(text))).toBe(true);
    expect(isDailyLimit(new Error("it failed", { cause: new Error(text) }))).toBe(true);
  });

  it("the error makes background work wait for ten minutes, or until midnight UTC if that is sooner", () => {
    expect(waitAfter(new Error(text), 10_000, NOW)).toBe(TEN_MINUTES_MS);
    expect(waitAfter(new Error(text), 10_000, Date.parse("2026-11-24T23:59:00Z"))).toBe(60_000);
  });
});

it.each(OTHER_LIMITS)("the error %s is not a daily limit", (text) => {
  expect(isDailyLimit(new Error(text))).toBe(false);
  expect(dailyLimitRefusal(new Error(text), NOW)).toBeNull();
  expect(waitAfter(new Error(text), 10_000, NOW)).toBe(10_000);
});

it("the refusal of a daily limit has the time at which the day ends", () => {
  const refusal = dailyLimitRefusal(new Error(OBJECT_LIMITS[0]), NOW);
  expect([refusal?.status, refusal?.code]).toEqual([503, "daily_limit_reached"]);
  expect(refusal?.detail.headers).toEqual({ "Retry-After": String(11 * 3600 + 45 * 60) });
  expect(refusal?.detail.hint).toContain("2026-11-25T00:00:00.000Z");
});

it("a post that contains the text of a daily limit is not mistaken for such an error", () => {
  const error = new DrizzleQueryError("insert into posts values (?)", [OBJECT_LIMITS[0]], new Error("a bug"));
  expect(isDailyLimit(error)).toBe(false);
});
