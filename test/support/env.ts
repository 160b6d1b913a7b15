// The worker's bindings, and what the tests add to them.
import type { D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import type { Env as WorkerEnv } from "../../src/env.ts";
import type { Peers } from "./peers.ts";

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv, Omit<Peers, keyof WorkerEnv> {
      TEST_MIGRATIONS: D1Migration[];
      /** Requests of each kind that the fuzzer makes, and its seed. */
      CRIER_FUZZ_RUNS: string;
      CRIER_FUZZ_SEED: string;
      /** `1`: run everything (-> sampled.ts). */
      CRIER_WHOLE: string;
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/index.ts");
    }
  }
}

export const testEnv = env;
