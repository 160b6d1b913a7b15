// Crier's database binding over Node's own SQLite, with all migrations: for what needs many rows and no worker.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const folder = `${import.meta.dirname}/../../migrations`;

type Value = null | number | string | Uint8Array;
interface Bound {
  sql: string;
  values: Value[];
}

/** A database in memory, and the part of the binding that drizzle uses. */
export function sqliteDatabase(): { raw: DatabaseSync; binding: D1Database } {
  const raw = new DatabaseSync(":memory:");
  for (const file of readdirSync(folder).sort()) raw.exec(readFileSync(`${folder}/${file}`, "utf8"));
  const result = ({ sql, values }: Bound) => ({ results: raw.prepare(sql).all(...values), success: true, meta: {} });
  const statementOf = (bound: Bound) => ({
    bound,
    bind: (...given: unknown[]) => statementOf({ sql: bound.sql, values: given.map(toValue) }),
    all: async () => result(bound),
    run: async () => result(bound),
    raw: async () => {
      const statement = raw.prepare(bound.sql);
      statement.setReturnArrays(true);
      return statement.all(...bound.values);
    },
  });
  const binding = {
    prepare: (sql: string) => statementOf({ sql, values: [] }),
    batch: async (statements: ReturnType<typeof statementOf>[]) => statements.map(({ bound }) => result(bound)),
  };
  return { raw, binding: binding as unknown as D1Database };
}

function toValue(given: unknown): Value {
  if (given === null || typeof given === "number" || typeof given === "string" || given instanceof Uint8Array)
    return given;
  if (typeof given === "boolean") return given ? 1 : 0;
  throw new Error(`a database takes no ${typeof given}`);
}
