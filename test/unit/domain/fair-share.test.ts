import { expect, it } from "vitest";
import { addCalls, getSharesAt, isWithinFairShare, NO_SHARES } from "../../../src/domain/fair-share.ts";
import { MINUTE_MS } from "../../../src/domain/limits.ts";

const NOW = 1_000 * MINUTE_MS;
/** Ten workspaces that have made all 1,200 calls of this minute. */
const busy = Array.from({ length: 10 }, (_, i) => `busy ${i}`).reduce(
  (shares, workspace) => addCalls(shares, workspace, 120),
  getSharesAt(NO_SHARES, NOW),
);

it("lets a workspace use its share of a host that others have exhausted", () => {
  expect(isWithinFairShare(busy, "quiet", 109, 1_200)).toBe(true);
  expect(isWithinFairShare(busy, "quiet", 110, 1_200)).toBe(false);
  expect(isWithinFairShare(busy, "busy 0", 1, 1_200)).toBe(false);
});

it("remembers calls across one minute boundary and forgets them after the next", () => {
  expect(isWithinFairShare(getSharesAt(busy, NOW + MINUTE_MS), "busy 0", 1, 1_200)).toBe(false);
  expect(isWithinFairShare(getSharesAt(busy, NOW + 2 * MINUTE_MS), "busy 0", 120, 1_200)).toBe(true);
});

it("leaves each workspace one call, however many workspaces there are", () => {
  expect(isWithinFairShare(busy, "quiet", 1, 5)).toBe(true);
});
