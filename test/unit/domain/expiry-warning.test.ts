import { expect, it } from "vitest";
import { nextExpiryWarning } from "../../../src/domain/channel.ts";

const DAY = 86_400_000;
const T = 1_800_000_000_000;

it("an expiry is announced once seven days ahead, once one day ahead, and not afterwards", () => {
  const end = T + 10 * DAY;
  expect(nextExpiryWarning(end, T)).toBe(end - 7 * DAY);
  expect(nextExpiryWarning(end, end - 7 * DAY)).toBe(end - DAY);
  expect(nextExpiryWarning(end, end - 2 * DAY)).toBe(end - DAY);
  expect(nextExpiryWarning(end, end - DAY)).toBeNull();
});

it("a token without an expiry is never announced", () => {
  expect(nextExpiryWarning(null, T)).toBeNull();
});
