// The worker's bindings, and what the tests add to them.
import type { D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { furtherDatabases, type Env as WorkerEnv } from "../../src/env.ts";
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

/** By their numbers: one, but in the suite of several. */
export const DATABASES: readonly D1Database[] = [env.DB, ...furtherDatabases(env)];

/** The rows that a statement finds in all of them. */
export async function inAll<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
  const found = await Promise.all(
    DATABASES.map((db) =>
      db
        .prepare(sql)
        .bind(...values)
        .all<Row>(),
    ),
  );
  return found.flatMap(({ results }) => results);
}

/** Settings over the tests' own: a deployment at https, with nothing that is for local runs. */
export const DEPLOYED = {
  BASE_URL: "https://crier.dev",
  PROVIDER: "live",
  ALLOW_PRIVATE_ADDRESSES: undefined,
  FAST_PASSWORD_HASHES: undefined,
  UPLOAD_PARTS_DIVISOR: undefined,
};
