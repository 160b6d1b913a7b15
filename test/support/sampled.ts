// How much of a suite `npm test` runs (-> docs/testing.md): it samples combinations, and does not wait for long time limits.
import { testEnv } from "./env.ts";

/** Whether all cases run, as in `npm run test:all`. */
export const isWhole = testEnv.CRIER_WHOLE === "1";

/** Returns all ways, or in a shorter run the one way of this index, so that consecutive indexes cover every way. */
export const sampleWays = <Way>(ways: readonly Way[], index: number): Way[] =>
  isWhole ? [...ways] : ways.filter((_, i) => i === index % ways.length);
