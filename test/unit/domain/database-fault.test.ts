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

/** Makes an error as the client library throws it; `makeQueryError` wraps it as Drizzle does for a single statement. */
const makeError = (text: string) => new Error(text, { cause: new Error(text.replace(/^D1_ERROR: /, "")) });
const makeQueryError = (text: string, value = "") =>
  new DrizzleQueryError("insert into posts values (?)", [value], makeError(text));

describe.each(Object.entries(PASSING))("the passing error %s", (_, text) => {
  it.each([makeError(text), makeQueryError(text)])(
    "the error is not mistaken for a refusal and is answered with 503 and a wait",
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
  for (const error of [makeError(text), makeQueryError(text)]) {
    expect([wasRefused(error), isPassing(error)]).toEqual([true, false]);
    expect(databaseRefusal(error, NOW)).toBeNull();
  }
});

it("the refusal of a daily read limit has the time at which the allowance resets", () => {
  const refusal = databaseRefusal(makeError(PASSING.readLimit), NOW);
  expect(refusal?.detail.headers).toEqual({ "Retry-After": String(11 * 3600 + 45 * 60) });
  expect(refusal?.detail.hint).toContain("2026-11-25T00:00:00.000Z");
});

it("the text of a post whose statement fails is not mistaken for an error", () => {
  const words = "UNIQUE constraint failed: users.email SQLITE_CONSTRAINT workspace_moving D1_ERROR";
  const error = makeQueryError(PASSING.lost, words);
  expect([wasRefused(error), isMoving(error), violatesUnique(error, "users.email")]).toEqual([false, false, false]);
  expect(databaseRefusal(error, NOW)?.code).toBe("database_unavailable");
});

it("the errors of a workspace that is being moved and of a duplicate key are recognized", () => {
  const moving = makeQueryError("D1_ERROR: workspace_moving: SQLITE_CONSTRAINT");
  expect([isMoving(moving), wasRefused(moving), databaseRefusal(moving, NOW)?.code]).toEqual([
    true,
    false,
    "workspace_moving",
  ]);
  expect(violatesUnique(makeQueryError(REFUSED.unique), "users.email")).toBe(true);
});

it("other errors are not turned into refusals", () => {
  expect(databaseRefusal(new TypeError("posts is not iterable"), NOW)).toBeNull();
});
