// A batch whose SQL is built once for each database: to build long statements takes more processor time than to run them.
import { fillPlaceholders } from "drizzle-orm";
import type { BatchItem, BatchResponse } from "drizzle-orm/batch";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";
import type { BatchPart } from "./batch.ts";
import type { Database } from "./db.ts";

type Prepared = SQLitePreparedQuery<{
  type: "async";
  run: unknown;
  all: unknown;
  get: unknown;
  values: unknown;
  execute: unknown;
}>;
type Statement = BatchItem<"sqlite"> & { prepare(): Pick<Prepared, "getQuery"> };
type Values = Record<string, unknown>;

/** Runs the statements of `build` as one batch; what differs from time to time is the values of their placeholders. */
export function compiledBatch<const Statements extends readonly [Statement, ...Statement[]]>(
  build: (db: Database) => Statements,
): (db: Database, values: Values) => Promise<BatchResponse<Statements>> {
  const built = new WeakMap<Database, { statements: Statements; use(values: Values): void }>();
  return (db, values) => {
    let batch = built.get(db);
    if (batch === undefined) {
      batch = compile(build(db));
      built.set(db, batch);
    }
    // The values are bound before `batch` waits for anything.
    batch.use(values);
    return db.batch(batch.statements);
  };
}

/** As `compiledBatch`, of a part: its result is what the part makes of the answers. */
export function compiledPart<Value>(
  build: (db: Database) => BatchPart<Value>,
): (db: Database, values: Values) => Promise<Value> {
  const built = new WeakMap<Database, { part: BatchPart<Value>; use(values: Values): void }>();
  return async (db, values) => {
    let batch = built.get(db);
    if (batch === undefined) {
      const part = build(db);
      batch = { part, use: compile(part.statements.map(compilable)).use };
      built.set(db, batch);
    }
    batch.use(values);
    return batch.part.resultOf([...(await db.batch(batch.part.statements))]);
  };
}

const isCompilable = (statement: BatchItem<"sqlite">): statement is Statement => "prepare" in statement;

function compilable(statement: BatchItem<"sqlite">): Statement {
  if (!isCompilable(statement)) throw new Error("this statement cannot be compiled");
  return statement;
}

function compile<Statements extends readonly Statement[]>(statements: Statements) {
  let values: Values = {};
  for (const statement of statements) {
    const prepared = statement.prepare();
    const query = prepared.getQuery();
    const bound = Object.create(prepared, {
      getQuery: { value: () => ({ ...query, params: fillPlaceholders(query.params, values) }) },
    });
    // A batch asks each of its statements for this.
    Object.defineProperty(statement, "_prepare", { value: () => bound });
  }
  return {
    statements,
    use(next: Values) {
      values = next;
    },
  };
}
