// A database binding that charges its statements to an allowance before it sends them (-> domain/work-allowance.ts).
import type { Allowance } from "../domain/work-allowance.ts";

/** Behaves like `database`, but each call first waits until the allowance grants its statements. */
export function limitDatabase(database: D1Database, allowance: Allowance): D1Database {
  /** The platform's own statement objects, which are the only ones that a batch accepts. */
  const originals = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  const limitStatement = (statement: D1PreparedStatement): D1PreparedStatement => {
    const limited = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => limitStatement(target.bind(...values));
        const method: unknown = Reflect.get(target, name, target);
        if (typeof method !== "function") return method;
        return async (...input: unknown[]) => {
          await allowance.take("statements", 1);
          return Reflect.apply(method, target, input);
        };
      },
    });
    originals.set(limited, statement);
    return limited;
  };

  return new Proxy(database, {
    get(target, name) {
      if (name === "prepare") return (query: string) => limitStatement(target.prepare(query));
      if (name === "batch") {
        return async (statements: D1PreparedStatement[]) => {
          await allowance.take("statements", statements.length);
          return target.batch(statements.map((statement) => originals.get(statement) ?? statement));
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
