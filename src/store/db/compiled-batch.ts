// A batch whose SQL is built once for each database, because building long statements takes more CPU time than running
// them.
import { fillPlaceholders } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import type { SQLitePreparedQuery } from "drizzle-orm/sqlite-core";
import { inOrder, type Named, type Results, readResults } from "./batch.ts";
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

/** Runs the statements of `build` as one batch; only the values of their placeholders vary. */
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
    // The values are bound before `batch` awaits anything.
    batch.use(values);
    return readResults(batch.named, await db.batch(batch.statements));
  };
}

interface Compiled<All> {
  named: All;
  statements: readonly [Statement, ...Statement[]];
  use(values: Values): void;
}

function compile<All extends Named<Statement>>(namedStatements: All): Compiled<All> {
  let values: Values = {};
  const statements = inOrder<Statement>(namedStatements);
  for (const statement of statements) {
    const prepared = statement.prepare();
    const query = prepared.getQuery();
    const bound = Object.create(prepared, {
      getQuery: { value: () => ({ ...query, params: fillPlaceholders(query.params, values) }) },
    });
    // A batch calls this on each of its statements.
    Object.defineProperty(statement, "_prepare", { value: () => bound });
  }
  return {
    named: namedStatements,
    statements,
    use(next: Values) {
      values = next;
    },
  };
}
