// A real database that counts its calls, and the rows that D1 would bill.

export interface DatabaseUse {
  /** The number of calls, each a round trip. A batch counts as one. */
  roundTrips: number;
  rowsRead: number;
  rowsWritten: number;
}

export interface Counting {
  /** Whether calls are counted at the moment. Other calls are passed on unchanged. */
  isOn?(): boolean;
  /** Called with the cost of each statement. */
  onStatement?(sql: string, meta: D1Meta): void;
  /** Runs before every round trip, with its number of statements. Benchmarks use it to simulate a distant database. */
  beforeRoundTrip?(statements: number): Promise<void>;
}

/** Makes a binding that works like `real`, and adds the cost of each call to `use`. */
export function countedDatabase(
  real: D1Database,
  { isOn = () => true, onStatement, beforeRoundTrip }: Counting = {},
): { db: D1Database; use: DatabaseUse } {
  const use: DatabaseUse = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const originals = new WeakMap<D1PreparedStatement, { sql: string; statement: D1PreparedStatement }>();
  const add = <Row>(queries: string[], results: D1Result<Row>[]) => {
    use.roundTrips++;
    for (const [i, { meta }] of results.entries()) {
      use.rowsRead += meta.rows_read;
      use.rowsWritten += meta.rows_written;
      onStatement?.(queries[i] ?? "", meta);
    }
    return results;
  };

  function count(sql: string, statement: D1PreparedStatement): D1PreparedStatement {
    const counted = new Proxy(statement, {
      get(target, name) {
        switch (name) {
          case "bind":
            return (...values: unknown[]) => count(sql, target.bind(...values));
          case "all":
          case "run":
            return async () => {
              await beforeRoundTrip?.(1);
              const result = await target.all();
              return isOn() ? add([sql], [result])[0] : result;
            };
          case "raw":
            // Raw rows have no cost, so a read is made twice to get both. The columns of a write have unique names, so its raw
            // rows can be derived from its objects.
            return async () => {
              await beforeRoundTrip?.(1);
              if (!isOn()) return target.raw();
              const [result] = add([sql], [await target.all<Record<string, unknown>>()]);
              return /^select/i.test(sql) ? target.raw() : (result?.results ?? []).map((row) => Object.values(row));
            };
          default:
            throw new Error(`the use of ${String(name)} is not counted`);
        }
      },
    });
    originals.set(counted, { sql, statement });
    return counted;
  }

  const db = new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (sql: string) => count(sql, target.prepare(sql));
        case "batch":
          return async (statements: D1PreparedStatement[]) => {
            await beforeRoundTrip?.(statements.length);
            const calls = statements.map((statement) => originals.get(statement) ?? { sql: "", statement });
            const results = await target.batch(calls.map(({ statement }) => statement));
            return isOn()
              ? add(
                  calls.map(({ sql }) => sql),
                  results,
                )
              : results;
          };
        default:
          throw new Error(`the use of ${String(name)} is not counted`);
      }
    },
  });
  return { db, use };
}
