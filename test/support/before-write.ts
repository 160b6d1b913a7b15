/** Makes a binding that works like `real`, and runs `meanwhile` once, before the first batch that writes. */
export function beforeWrite(real: D1Database, meanwhile: () => Promise<void>): D1Database {
  const writeStatements = new WeakSet<D1PreparedStatement>();
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();
  let isOver = false;

  function watch(isWrite: boolean, statement: D1PreparedStatement): D1PreparedStatement {
    const watched = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => watch(isWrite, target.bind(...values));
        const value: unknown = Reflect.get(target, name);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    if (isWrite) writeStatements.add(watched);
    originals.set(watched, statement);
    return watched;
  }

  return new Proxy(real, {
    get(target, name) {
      if (name === "prepare")
        return (sql: string) => watch(/^\s*(?:insert|update|delete)/i.test(sql), target.prepare(sql));
      if (name !== "batch") throw new Error(`the use of ${String(name)} is not watched`);
      return async (statements: D1PreparedStatement[]) => {
        if (!isOver && statements.some((statement) => writeStatements.has(statement))) {
          isOver = true;
          await meanwhile();
        }
        return target.batch(statements.map((statement) => originals.get(statement) ?? statement));
      };
    },
  });
}
