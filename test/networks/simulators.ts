// The simulators of one test file.
import { afterAll, beforeAll } from "vitest";
import { type Simulators, startSimulators } from "../../simulators/server.ts";

/** The simulators of the running file. Files that share a process run one after the other. */
export let simulators: Simulators;

/** Starts the simulators for the calling file, and stops them at its end. */
export function withSimulators({ chunksDivisor = 1 } = {}): void {
  beforeAll(async () => {
    simulators = await startSimulators({ port: 0, chunksDivisor });
  });
  afterAll(() => simulators.close());
}
