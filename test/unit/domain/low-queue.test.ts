import { expect, it } from "vitest";
import { decideQueue, LOW_AHEAD_MS } from "../../../src/domain/low-queue.ts";

const NOW = Date.parse("2026-11-27T12:00:00Z");
const [SOON, LATER] = [NOW + LOW_AHEAD_MS, NOW + LOW_AHEAD_MS + 1];

it.each([
  ["is filled once a post is due later than in two days", LATER, false, "filled"],
  ["stays filled without another record", LATER, true, null],
  ["runs low when its last post is due within two days", SOON, true, "low"],
  ["runs low when no post is left", null, true, "low"],
  ["runs low once, and not again until it is filled", SOON, false, null],
  ["does not run low if it was never filled", null, false, null],
])("a queue %s", (_, latestAt, isFilled, change) => {
  expect(decideQueue({ latestAt, isFilled }, NOW)).toBe(change);
});
