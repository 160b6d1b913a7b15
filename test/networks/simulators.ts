// The simulators of one file of tests.
import { afterAll, beforeAll } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";

/** Those of the file that runs: files that share a process run one after the other. */
export let simulators: Simulators;

/** Starts them for the file that calls it, and ends them with it. */
export function withSimulators({ partsDivisor = 1 } = {}): void {
  beforeAll(async () => {
    simulators = await startSimulators({ port: 0, partsDivisor });
  });
  afterAll(() => simulators.close());
}
