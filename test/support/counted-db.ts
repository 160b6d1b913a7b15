// The real database behind a counter: how often it is asked, and what D1 would bill.

export interface DatabaseUse {
  /** Calls of the database, each a round trip; a batch is one. */
  trips: number;
  rowsRead: number;
  rowsWritten: number;
}

/** A binding that works as `real` does and adds what each call costs to `use`. */
export function countedDatabase(real: D1Database): { db: D1Database; use: DatabaseUse } {
  const use: DatabaseUse = { trips: 0, rowsRead: 0, rowsWritten: 0 };
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  const add = <Row>(results: D1Result<Row>[]) => {
    use.trips++;
    for (const { meta } of results) {
      use.rowsRead += meta.rows_read;
      use.rowsWritten += meta.rows_written;
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
            return async () => add([await target.all()])[0];
          case "raw":
            // Raw rows come without their cost. A read is done twice to have both; the rows of a write have no two
            // columns of one name, so that they can be read off its objects.
            return async () => {
              const [result] = add([await target.all<Record<string, unknown>>()]);
              return /^select/i.test(sql) ? target.raw() : (result?.results ?? []).map((row) => Object.values(row));
            };
          default:
            throw new Error(`the use of ${String(name)} is not counted`);
        }
      },
    });
    originals.set(counted, statement);
    return counted;
  }

  const db = new Proxy(real, {
    get(target, name) {
      switch (name) {
        case "prepare":
          return (sql: string) => count(sql, target.prepare(sql));
        case "batch":
          return async (statements: D1PreparedStatement[]) =>
            add(await target.batch(statements.map((statement) => originals.get(statement) ?? statement)));
        default:
          throw new Error(`the use of ${String(name)} is not counted`);
      }
    },
  });
  return { db, use };
}
