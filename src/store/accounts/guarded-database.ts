// A database that writes nothing for a caller whose rights have ended.
//
// A call is judged in one round trip and writes in a later one. A key that is revoked between the two, a session that ends or a
// role that becomes smaller must keep the write from happening, and only the transaction that writes can see to it. So each
// batch begins with a statement that fails once the rights have ended, and a batch is written whole or not at all.
import { sql } from "drizzle-orm";
import { wasRefused } from "../../domain/database-fault.ts";
import type { Database } from "../db/db.ts";
import { type Rights, unlessEnded } from "./rights.ts";

type Statements = Parameters<Database["batch"]>[0];

/** SQL raises errors in triggers only, so the statement parses a text that is no JSON. */
const guard = (db: Database, rights: Rights) =>
  db
    .select({ guard: sql`json(CASE WHEN ${unlessEnded(rights)} THEN 'null' ELSE 'rights ended' END)` })
    .from(sql`(SELECT 1)`);

/**
 * The database of the accounts, as `db` is, for the batches of a caller with these rights. `refuseEnded` throws the refusal of a
 * caller whose rights have ended.
 */
export function guardedDatabase(db: Database, rights: Rights, refuseEnded: () => Promise<void>): Database {
  const batch = async (statements: Statements): Promise<unknown[]> => {
    try {
      const [, ...answers] = await db.batch([guard(db, rights), ...statements]);
      return answers;
    } catch (error) {
      if (wasRefused(error)) await refuseEnded();
      throw error;
    }
  };
  return new Proxy(db, { get: (target, name) => (name === "batch" ? batch : Reflect.get(target, name)) });
}
