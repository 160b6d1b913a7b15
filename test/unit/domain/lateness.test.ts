import { expect, it } from "vitest";
import { addToSlots, LATENESS_BOUNDS_MS, OUTCOME_SLOT_MS, summarizeOutcomes } from "../../../src/domain/lateness.ts";

const SLOT = 6_000_000;
const NOW = SLOT * OUTCOME_SLOT_MS + 1_000;
const findBucket = (boundMs: number) => LATENESS_BOUNDS_MS.indexOf(boundMs);

it("the bounds of lateness increase up to one day, after which nothing is sent", () => {
  expect(LATENESS_BOUNDS_MS).toEqual(LATENESS_BOUNDS_MS.toSorted((a, b) => a - b));
  expect(LATENESS_BOUNDS_MS.at(-1)).toBe(86_400_000);
});

it("the last hour is complete at any moment of its five-minute slots", () => {
  const slots = Array.from({ length: 20 }, (_, i) => ({ slot: SLOT - i, counts: {} }));
  const oldest = (now: number) => Math.min(...addToSlots(slots, {}, now).map(({ slot }) => slot)) * OUTCOME_SLOT_MS;
  expect(oldest(NOW)).toBeLessThanOrEqual(NOW - 3_600_000);
  expect(oldest(NOW)).toBeGreaterThan(NOW - 3_600_000 - OUTCOME_SLOT_MS);
  expect(oldest(NOW + OUTCOME_SLOT_MS - 2_000)).toBe(oldest(NOW));
});

it("counts of the same five minutes are added up in one slot", () => {
  const once = addToSlots([{ slot: SLOT, counts: { "x 0": 1 } }], { "x 0": 2, "x failed": 1 }, NOW);
  expect(once).toEqual([{ slot: SLOT, counts: { "x 0": 3, "x failed": 1 } }]);
});

it("the median and the 99th percentile of the lateness are computed over all slots", () => {
  const [soon, later, late] = [findBucket(200), findBucket(5_000), findBucket(60_000)];
  const slots = [
    { slot: SLOT - 12, counts: { [`x ${soon}`]: 40, [`x ${later}`]: 20, [`threads ${late}`]: 500 } },
    { slot: SLOT, counts: { [`x ${soon}`]: 10, [`x ${later}`]: 29 } },
    { slot: SLOT, counts: { [`x ${late}`]: 1 } },
  ];
  expect(summarizeOutcomes("x", slots, NOW)).toMatchObject({ published: 100, p50Ms: 200, p99Ms: 5_000 });
  const [first] = slots;
  expect(summarizeOutcomes("x", first ? [first] : [], NOW)).toMatchObject({ published: 60, p50Ms: 200, p99Ms: 5_000 });
});

it("a lateness beyond every bound counts as the last one", () => {
  const slots = [{ slot: SLOT, counts: { [`x ${LATENESS_BOUNDS_MS.length}`]: 1 } }];
  expect(summarizeOutcomes("x", slots, NOW)).toMatchObject({ published: 1, p50Ms: 86_400_000 });
});

it("a network without data has neither failures nor delays", () => {
  expect(summarizeOutcomes("x", [{ slot: SLOT, counts: { "threads failed": 9 } }], NOW)).toEqual({
    published: 0,
    failedTries: 0,
    p50Ms: null,
    p99Ms: null,
    isFailing: false,
  });
});

it.each([
  ["is failing if three tries failed and nothing was published", SLOT, 3, 0, true],
  ["is not failing after two failed tries", SLOT, 2, 0, false],
  ["is failing if as many tries failed as posts were published", SLOT - 2, 50, 50, true],
  ["is not failing if more posts were published than tries failed", SLOT, 50, 51, false],
  ["is not failing if the failed tries are older", SLOT - 3, 50, 0, false],
])("a network %s", (_, slot, failed, published, isFailing) => {
  const slots = [{ slot, counts: { "x failed": failed, "x 0": published } }];
  expect(summarizeOutcomes("x", slots, NOW)).toMatchObject({ failedTries: failed, isFailing });
});
