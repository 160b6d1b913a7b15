// The worker's bindings, and further bindings of the tests.
import type { D1Migration } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { furtherDatabases, type Env as WorkerEnv } from "../../src/env.ts";
import type { Peers } from "./peers.ts";

declare global {
  namespace Cloudflare {
    interface Env extends WorkerEnv, Omit<Peers, keyof WorkerEnv> {
      TEST_MIGRATIONS: D1Migration[];
      /** The number of requests of each kind that the fuzzer makes. */
      CRIER_FUZZ_RUNS: string;
      CRIER_FUZZ_SEED: string;
      /** `1` runs all tests in full (-> sampled.ts). */
      CRIER_EXTENT: string;
    }
    interface GlobalProps {
      mainModule: typeof import("../../src/index.ts");
    }
  }
}

export const testEnv = env;

/** The databases by their numbers. Only one suite has several. */
export const DATABASES: readonly D1Database[] = [env.DB, ...furtherDatabases(env)];

/** Returns the rows of a statement in all databases. */
export async function queryAll<Row>(sql: string, ...values: unknown[]): Promise<Row[]> {
  const answers = await Promise.all(
    DATABASES.map((db) =>
      db
        .prepare(sql)
        .bind(...values)
        .all<Row>(),
    ),
  );
  return answers.flatMap(({ results }) => results);
}

/** Settings that turn the tests' deployment into one at https, without settings for local runs. */
export const DEPLOYED = {
  BASE_URL: "https://crier.dev",
  PROVIDER: "live",
  ALLOW_PRIVATE_ADDRESSES: undefined,
  FAST_PASSWORD_HASHES: undefined,
  UPLOAD_CHUNKS_DIVISOR: undefined,
};
