// A database that writes nothing for a caller whose rights have ended.
//
// A call is judged in one round trip and writes in a later one. A key that is revoked between the two, a session that ends or a
// role that becomes smaller must keep the write from happening, and only the transaction that writes can see to it. So each
// batch begins with a statement that fails once the rights have ended, and a batch is written whole or not at all. A statement
// outside of a batch has no such guard and throws.
import { sql } from "drizzle-orm";
import { wasRefused } from "../../domain/database-fault.ts";
import { type Database, openDatabase } from "../db/db.ts";
import { type Rights, unlessEnded } from "./rights.ts";

/** SQL raises errors in triggers only, so the statement parses a text that is no JSON. */
const guard = (db: Database, rights: Rights) =>
  db
    .select({ guard: sql`json(CASE WHEN ${unlessEnded(rights)} THEN 'null' ELSE 'rights ended' END)` })
    .from(sql`(SELECT 1)`)
    .toSQL();

/**
 * The database of the accounts, as `db` is, for the batches of a caller with these rights. `refuseEnded` throws the refusal of a
 * caller whose rights have ended.
 */
export function guardedDatabase(db: Database, rights: Rights, refuseEnded: () => Promise<void>): Database {
  const { sql: condition, params } = guard(db, rights);
  const statements = new WeakMap<D1PreparedStatement, D1PreparedStatement>();

  function inBatches(statement: D1PreparedStatement): D1PreparedStatement {
    const proxy = new Proxy(statement, {
      get(target, name) {
        if (name === "bind") return (...values: unknown[]) => inBatches(target.bind(...values));
        throw new Error("a guarded database writes in batches alone");
      },
    });
    statements.set(proxy, statement);
    return proxy;
  }

  async function batch(binding: D1Database, asked: D1PreparedStatement[]): Promise<D1Result[]> {
    const all = asked.map((proxy) => statements.get(proxy) ?? proxy);
    try {
      const [, ...answers] = await binding.batch([binding.prepare(condition).bind(...params), ...all]);
      return answers;
    } catch (error) {
      if (wasRefused(error)) await refuseEnded();
      throw error;
    }
  }

  return openDatabase(
    new Proxy(db.$client, {
      get(binding, name) {
        if (name === "prepare") return (text: string) => inBatches(binding.prepare(text));
        if (name === "batch") return (asked: D1PreparedStatement[]) => batch(binding, asked);
        throw new Error(`a guarded database has no ${String(name)}`);
      },
    }),
  );
}
