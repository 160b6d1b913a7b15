import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, it } from "vitest";
import {
  databaseRefusal,
  isMoving,
  isPassing,
  violatesUnique,
  wasRefused,
} from "../../../src/domain/database-fault.ts";
import { PASSING, REFUSED } from "../../support/d1-errors.ts";

/** A quarter past noon of a Tuesday. */
const NOW = Date.parse("2026-11-24T12:15:00Z");

/** As the client library throws it, and as Drizzle wraps it where it is one statement. */
const thrown = (text: string) => new Error(text, { cause: new Error(text.replace(/^D1_ERROR: /, "")) });
const wrapped = (text: string, value = "") =>
  new DrizzleQueryError("insert into posts values (?)", [value], thrown(text));

describe.each(Object.entries(PASSING))("the passing error %s", (_, text) => {
  it.each([thrown(text), wrapped(text)])(
    "is not mistaken for a refusal and is answered with 503 and a wait",
    (error) => {
      expect(wasRefused(error)).toBe(false);
      expect(isPassing(error)).toBe(true);
      const refusal = databaseRefusal(error, NOW);
      expect([refusal?.code, refusal?.status]).toEqual(["database_unavailable", 503]);
      expect(refusal?.detail.headers?.["Retry-After"]).toMatch(/^[1-9]\d*$/);
    },
  );
});

it.each(Object.entries(REFUSED))("the refusal %s is final, and is a bug if the code does not expect it", (_, text) => {
  for (const error of [thrown(text), wrapped(text)]) {
    expect([wasRefused(error), isPassing(error)]).toEqual([true, false]);
    expect(databaseRefusal(error, NOW)).toBeNull();
  }
});

it("names the time at which the daily allowance resets", () => {
  const refusal = databaseRefusal(thrown(PASSING.readLimit), NOW);
  expect(refusal?.detail.headers).toEqual({ "Retry-After": String(11 * 3600 + 45 * 60) });
  expect(refusal?.detail.hint).toContain("2026-11-25T00:00:00.000Z");
});

it("is not misled by the text of a post whose statement fails", () => {
  const words = "UNIQUE constraint failed: users.email SQLITE_CONSTRAINT workspace_moving D1_ERROR";
  const error = wrapped(PASSING.lost, words);
  expect([wasRefused(error), isMoving(error), violatesUnique(error, "users.email")]).toEqual([false, false, false]);
  expect(databaseRefusal(error, NOW)?.code).toBe("database_unavailable");
});

it("recognises a workspace that is being moved and a key that already exists", () => {
  const moving = wrapped("D1_ERROR: workspace_moving: SQLITE_CONSTRAINT");
  expect([isMoving(moving), wasRefused(moving), databaseRefusal(moving, NOW)?.code]).toEqual([
    true,
    false,
    "workspace_moving",
  ]);
  expect(violatesUnique(wrapped(REFUSED.unique), "users.email")).toBe(true);
});

it("passes on bugs of our own unchanged", () => {
  expect(databaseRefusal(new TypeError("posts is not iterable"), NOW)).toBeNull();
});
