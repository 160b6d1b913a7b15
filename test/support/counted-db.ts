// The real database behind a counter: how often it is asked, and what D1 would bill.

export interface DatabaseUse {
  /** Calls of the database, each a round trip; a batch is one. */
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

/** A binding that works as `real` does and adds what each call costs to `use`. */
export function countedDatabase(
  real: D1Database,
  { isOn = () => true, onStatement, beforeRoundTrip }: Counting = {},
): { db: D1Database; use: DatabaseUse } {
  const use: DatabaseUse = { roundTrips: 0, rowsRead: 0, rowsWritten: 0 };
  const originals = new WeakMap<D1PreparedStatement, { sql: string; statement: D1PreparedStatement }>();
  const add = <Row>(asked: string[], results: D1Result<Row>[]) => {
    use.roundTrips++;
    for (const [i, { meta }] of results.entries()) {
      use.rowsRead += meta.rows_read;
      use.rowsWritten += meta.rows_written;
      onStatement?.(asked[i] ?? "", meta);
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
            // Raw rows come without their cost, so a read is done twice to get both. The columns of a write have unique
            // names, so its raw rows can be derived from its objects.
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
            const asked = statements.map((statement) => originals.get(statement) ?? { sql: "", statement });
            const results = await target.batch(asked.map(({ statement }) => statement));
            return isOn()
              ? add(
                  asked.map(({ sql }) => sql),
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
