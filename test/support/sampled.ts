// How many cases a suite in workerd runs. A sample does not wait for long time limits.
import { testEnv } from "./env.ts";
import { makeEveryNth, readExtent } from "./extent.ts";

const extent = readExtent(testEnv.CRIER_EXTENT);

/** Whether the expensive cases run, too. */
export const isExtensive = extent !== "sample";

/**
 * Returns all ways in a nightly run. Otherwise returns one way, or two in `npm run test:all`, from this index on, so that
 * consecutive indexes cover every way.
 */
export const sampleWays = <Way>(ways: readonly Way[], index: number): Way[] => {
  const count = { sample: 1, most: 2, whole: ways.length }[extent];
  return ways.filter((_, i) => (i + ways.length - (index % ways.length)) % ways.length < count);
};

export const everyNth = makeEveryNth(extent);
