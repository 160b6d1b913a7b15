// Implements the part of the database binding that drizzle uses, over any runner of SQL.
export type Value = null | number | string | Uint8Array;
export type Row = Record<string, Value>;

/** A statement with its parameters. */
export interface Bound {
  sql: string;
  parameters: Value[];
}

/** Runs the statements of a binding. A batch is one transaction. */
export interface Runner {
  query(statement: Bound): Promise<Row[]>;
  /** Returns the rows as arrays of cells. */
  arrays(statement: Bound): Promise<unknown[]>;
  batch(statements: Bound[]): Promise<Row[][]>;
}

/** D1's limit of parameters in one statement (developers.cloudflare.com/d1/platform/limits, read 2026-11-24). SQLite allows more. */
const PARAMETERS_MAX = 100;

function checkLength({ parameters }: Bound): void {
  if (parameters.length > PARAMETERS_MAX) throw new Error("D1_ERROR: too many SQL variables: SQLITE_ERROR");
}

export function makeBinding(runner: Runner): D1Database {
  const makeResult = (results: Row[]) => ({ results, success: true, meta: {} });
  const makeStatement = (bound: Bound) => {
    const run = async () => {
      checkLength(bound);
      return makeResult(await runner.query(bound));
    };
    return {
      bound,
      bind: (...values: unknown[]) => makeStatement({ sql: bound.sql, parameters: values.map(toValue) }),
      all: run,
      run,
      raw: async () => {
        checkLength(bound);
        return runner.arrays(bound);
      },
    };
  };
  const binding = {
    prepare: (sql: string) => makeStatement({ sql, parameters: [] }),
    batch: async (statements: { bound: Bound }[]) => {
      const bounds = statements.map(({ bound }) => bound);
      for (const bound of bounds) checkLength(bound);
      return (await runner.batch(bounds)).map(makeResult);
    },
  };
  // Drizzle uses no other part of the binding.
  return binding as unknown as D1Database;
}

function toValue(value: unknown): Value {
  if (value === null || typeof value === "number" || typeof value === "string" || value instanceof Uint8Array)
    return value;
  if (typeof value === "boolean") return value ? 1 : 0;
  throw new Error(`D1_TYPE_ERROR: Type '${typeof value}' not supported`);
}
