import { expect, it } from "vitest";
import { addCalls, getSharesAt, isWithinFairShare, NO_SHARES } from "../../../src/domain/fair-share.ts";
import { MINUTE_MS } from "../../../src/domain/limits.ts";

const NOW = 1_000 * MINUTE_MS;
/** Ten workspaces that have used all 1,200 calls of this minute. */
const busy = Array.from({ length: 10 }, (_, i) => `busy ${i}`).reduce(
  (shares, workspace) => addCalls(shares, workspace, 120),
  getSharesAt(NO_SHARES, NOW),
);

it("a workspace may use its share of a host that others have exhausted", () => {
  expect(isWithinFairShare(busy, "quiet", 109, 1_200)).toBe(true);
  expect(isWithinFairShare(busy, "quiet", 110, 1_200)).toBe(false);
  expect(isWithinFairShare(busy, "busy 0", 1, 1_200)).toBe(false);
});

it("calls count until the second minute boundary after them", () => {
  expect(isWithinFairShare(getSharesAt(busy, NOW + MINUTE_MS), "busy 0", 1, 1_200)).toBe(false);
  expect(isWithinFairShare(getSharesAt(busy, NOW + 2 * MINUTE_MS), "busy 0", 120, 1_200)).toBe(true);
});

it("every workspace may make one call, even if the share is smaller", () => {
  expect(isWithinFairShare(busy, "quiet", 1, 5)).toBe(true);
});
