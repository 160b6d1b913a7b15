// How much of a suite in workerd runs (-> docs/testing.md): `npm test` samples combinations and does not wait for long time
// limits, `npm run test:all` runs more of them, and `npm run test:nightly` all.
import { testEnv } from "./env.ts";

/** Whether the expensive cases run, too. */
export const isWhole = testEnv.CRIER_EXTENT !== "sample";

const WAYS: Record<string, number> = { sample: 1, most: 2 };

/**
 * Returns all ways in a nightly run. Otherwise returns one way, or two in `npm run test:all`, from this index on, so that
 * consecutive indexes cover every way.
 */
export const sampleWays = <Way>(ways: readonly Way[], index: number): Way[] => {
  const taken = WAYS[testEnv.CRIER_EXTENT] ?? ways.length;
  return ways.filter((_, i) => (i + ways.length - (index % ways.length)) % ways.length < taken);
};

/** Returns all items, or every `nth` of them in a sample, beginning with the one at `first`. */
export const everyNth = <Item>(items: readonly Item[], nth: number, first = 0): Item[] =>
  items.filter((_, i) => isWhole || i % nth === first);
