// A database that writes nothing for a caller whose rights have ended.
//
// A call checks its caller's rights in one round trip and writes in a later one. If a key is revoked, a session ends or a role is
// reduced between the two, the write must not happen, and only the transaction of the write can ensure that. So each
// batch begins with a statement that fails once the rights have ended, and a batch is written as a whole or not at all.
// A statement outside of a batch has no such guard and throws.
//
// In the accounts database, the guard checks the rights themselves. For the other databases, see guarded-home.ts.
import { type SQL, sql } from "drizzle-orm";
import { DatabaseAway, wasRefused } from "../../domain/database-fault.ts";
import { type Database, openDatabase } from "../db/db.ts";
import { type Rights, unlessEnded } from "./rights.ts";

/** Decides whether a batch is written. */
export interface Guard {
  /** A condition that is true, inside a statement of the database, as long as a batch may be written. */
  condition(): Promise<SQL>;
  /**
   * Called when the database refused a batch, possibly because of the guard. Throws the refusal of a caller whose
   * rights have ended. Returns whether to retry the batch with a new condition.
   */
  refused(): Promise<boolean>;
}

/** How many times a batch is retried because other people's rights ended. */
const TURNS_MAX = 5;

/** SQLite raises errors in triggers only, so the statement fails by parsing text that is not JSON. */
const guardStatement = (db: Database, condition: SQL) =>
  db
    .select({ guard: sql`json(CASE WHEN ${condition} THEN 'null' ELSE 'rights ended' END)` })
    .from(sql`(SELECT 1)`)
    .toSQL();

/**
 * The accounts database `db`, for the batches of a caller with these rights. `refuseEnded` throws the refusal of a
 * caller whose rights have ended.
 */
export function guardedDatabase(db: Database, rights: Rights, refuseEnded: () => Promise<void>): Database {
  return guardBatches(db, {
    condition: async () => unlessEnded(rights),
    async refused() {
      await refuseEnded();
      return false;
    },
  });
}

/** The database `db`, whose batches are written only while `guard` allows it. */
export function guardBatches(db: Database, guard: Guard): Database {
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

  async function batch(binding: D1Database, proxies: D1PreparedStatement[]): Promise<D1Result[]> {
    const originals = proxies.map((proxy) => statements.get(proxy) ?? proxy);
    for (let turn = 0; turn < TURNS_MAX; turn++) {
      const { sql: text, params } = guardStatement(db, await guard.condition());
      try {
        const [, ...answers] = await binding.batch([binding.prepare(text).bind(...params), ...originals]);
        return answers;
      } catch (error) {
        if (!wasRefused(error) || !(await guard.refused())) throw error;
      }
    }
    throw new DatabaseAway("rights in the workspace end faster than a batch is written");
  }

  return openDatabase(
    new Proxy(db.$client, {
      get(binding, name) {
        if (name === "prepare") return (text: string) => inBatches(binding.prepare(text));
        if (name === "batch") return (proxies: D1PreparedStatement[]) => batch(binding, proxies);
        throw new Error(`a guarded database has no ${String(name)}`);
      },
    }),
  );
}
