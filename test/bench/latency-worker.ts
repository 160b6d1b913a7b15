// The deployed worker with a distant database, whose round trips take longer. Only the latency benchmark runs it.
import type { Env } from "../../src/env.ts";
import crier from "../../src/index.ts";

export * from "../../src/index.ts";

/** Milliseconds that are added to a round trip. */
let delayMs = 0;
/** The number since the last read. */
let roundTrips = 0;

async function withDelay<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
  roundTrips++;
  await new Promise((end) => setTimeout(end, delayMs));
  return answer();
}

function delayStatement(real: D1PreparedStatement): D1PreparedStatement {
  const statement: D1PreparedStatement = new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "bind":
          return (...values: unknown[]) => delayStatement(target.bind(...values));
        case "all":
          return () => withDelay(() => target.all());
        case "run":
          return () => withDelay(() => target.run());
        case "raw":
          return () => withDelay(() => target.raw());
        default:
          throw new Error(`the use of ${String(name)} is not delayed`);
      }
    },
  });
  originals.set(statement, real);
  return statement;
}
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

const delayedEnvs = new WeakMap<Env, Env>();
function delayEnv(env: Env): Env {
  const cached = delayedEnvs.get(env);
  if (cached !== undefined) return cached;
  const DB = new Proxy(env.DB, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (query: string) => delayStatement(target.prepare(query));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            withDelay(() => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
        default:
          throw new Error(`the use of ${String(name)} is not delayed`);
      }
    },
  });
  const delayed = { ...env, DB };
  delayedEnvs.set(env, delayed);
  return delayed;
}

export default {
  ...crier,
  async fetch(request, env, execution) {
    if (new URL(request.url).pathname === "/_bench/distance") {
      const counted = roundTrips;
      roundTrips = 0;
      ({ delayMs } = await request.json<{ delayMs: number }>());
      return Response.json({ roundTrips: counted });
    }
    return crier.fetch(request, delayEnv(env), execution);
  },
} satisfies ExportedHandler<Env>;
