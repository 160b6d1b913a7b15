// A batch whose SQL is built once for each database: to build long statements takes more processor time than to run them.
import { fillPlaceholders } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";
import { inOrder, type Named, type Results, resultsOf } from "./batch.ts";
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
export function compiledBatch<const All extends Named<Statement>>(
  build: (db: Database) => All,
): (db: Database, values: Values) => Promise<Results<All>> {
  const built = new WeakMap<Database, Compiled<All>>();
  return async (db, values) => {
    let batch = built.get(db);
    if (batch === undefined) {
      batch = compile(build(db));
      built.set(db, batch);
    }
    // The values are bound before `batch` waits for anything.
    batch.use(values);
    return resultsOf(batch.named, await db.batch(batch.statements));
  };
}

interface Compiled<All> {
  named: All;
  statements: readonly [Statement, ...Statement[]];
  use(values: Values): void;
}

function compile<All extends Named<Statement>>(named: All): Compiled<All> {
  let values: Values = {};
  const statements = inOrder<Statement>(named);
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
    named,
    statements,
    use(next: Values) {
      values = next;
    },
  };
}
