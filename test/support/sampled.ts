// How many cases a suite in workerd runs. A sample does not wait for long time limits.
import { testEnv } from "./env.ts";
import { makeEveryNth, readExtent } from "./extent.ts";

const extent = readExtent(testEnv.CRIER_EXTENT);

/** Whether the expensive cases run, too. */
export const isExtensive = extent !== "sample";
/** Whether everything runs, which takes hours. */
export const isWhole = extent === "whole";

/**
 * Returns all ways in a nightly run, and otherwise the way at this index, so that consecutive indexes cover every way.
 */
export const sampleWays = <Way>(ways: readonly Way[], index: number): Way[] =>
  isWhole ? [...ways] : ways.slice(index % ways.length, (index % ways.length) + 1);

export const everyNth = makeEveryNth(extent);
