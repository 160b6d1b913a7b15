import { expect, it } from "vitest";
import { nextExpiryWarning } from "../../../src/domain/channel.ts";

const DAY = 86_400_000;
const T = 1_800_000_000_000;

it("tells of an end seven days and one day ahead, each once, and not afterwards", () => {
  const end = T + 10 * DAY;
  expect(nextExpiryWarning(end, T)).toBe(end - 7 * DAY);
  expect(nextExpiryWarning(end, end - 7 * DAY)).toBe(end - DAY);
  expect(nextExpiryWarning(end, end - 2 * DAY)).toBe(end - DAY);
  expect(nextExpiryWarning(end, end - DAY)).toBeNull();
});

it("tells nothing of what does not end", () => {
  expect(nextExpiryWarning(null, T)).toBeNull();
});
