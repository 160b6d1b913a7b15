// The deployed worker with a distant database, whose round trips take longer. Only the latency benchmark runs it.
import type { Env } from "../../src/env.ts";
import crier from "../../src/index.ts";

export * from "../../src/index.ts";

/** Milliseconds that are added to a round trip. */
let delayMs = 0;
/** The number since the last read. */
let roundTrips = 0;

async function far<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
  roundTrips++;
  await new Promise((end) => setTimeout(end, delayMs));
  return answer();
}

function farStatement(real: D1PreparedStatement): D1PreparedStatement {
  const statement: D1PreparedStatement = new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "bind":
          return (...values: unknown[]) => farStatement(target.bind(...values));
        case "all":
          return () => far(() => target.all());
        case "run":
          return () => far(() => target.run());
        case "raw":
          return () => far(() => target.raw());
        default:
          throw new Error(`the use of ${String(name)} is not delayed`);
      }
    },
  });
  originals.set(statement, real);
  return statement;
}
const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

const farDatabases = new WeakMap<Env, Env>();
function farEnv(env: Env): Env {
  const known = farDatabases.get(env);
  if (known !== undefined) return known;
  const DB = new Proxy(env.DB, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (query: string) => farStatement(target.prepare(query));
        case "batch":
          return (statements: D1PreparedStatement[]) =>
            far(() => target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
        default:
          throw new Error(`the use of ${String(name)} is not delayed`);
      }
    },
  });
  const made = { ...env, DB };
  farDatabases.set(env, made);
  return made;
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
    return crier.fetch(request, farEnv(env), execution);
  },
} satisfies ExportedHandler<Env>;
