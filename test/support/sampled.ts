// How much of a suite `npm test` runs (-> docs/testing.md): products are sampled, and nothing waits out a long time limit.
import { testEnv } from "./env.ts";

/** Whether everything is run, as `npm run test:all` does. */
export const isWhole = testEnv.CRIER_WHOLE === "1";

/** The ways in which the `turn`th of several things is tested: all, or the one of its turn, so that each way comes up. */
export const sampled = <Way>(ways: readonly Way[], index: number): Way[] =>
  isWhole ? [...ways] : ways.filter((_, i) => i === index % ways.length);
