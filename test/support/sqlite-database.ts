// Crier's database binding over Node's own SQLite, with all migrations, for tests that need many rows and no worker.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Bound, makeBinding, type Row } from "./sqlite-binding.ts";

const folder = `${import.meta.dirname}/../../migrations`;

/** Runs all migrations in order. */
export function migrate(raw: DatabaseSync): void {
  for (const file of readdirSync(folder).sort()) raw.exec(readFileSync(`${folder}/${file}`, "utf8"));
}

/**
 * The limits of D1, from developers.cloudflare.com/d1/platform/limits and, where the page has no value, `setupSecurity` of workerd
 * (src/workerd/util/sqlite.c++), both read 2026-11-24. SQLite itself allows far more.
 */
const D1_LIMITS = {
  length: 2_000_000,
  sqlLength: 100_000,
  column: 100,
  exprDepth: 100,
  compoundSelect: 5,
  vdbeOp: 25_000,
  functionArg: 32,
  attach: 0,
  likePatternLength: 50,
  variableNumber: 100,
  triggerDepth: 10,
};

/** Makes a database in memory with the limits of D1, and its binding. */
export function sqliteDatabase(): { raw: DatabaseSync; binding: D1Database } {
  const raw = new DatabaseSync(":memory:");
  migrate(raw);
  Object.assign(raw.limits, D1_LIMITS);
  return { raw, binding: sqliteBinding(raw) };
}

/** Makes a binding of a database. A batch is one transaction, as in D1. */
export function sqliteBinding(raw: DatabaseSync): D1Database {
  // Values of SQLite have only the types of a row.
  const rows = ({ sql, parameters }: Bound) => raw.prepare(sql).all(...parameters) as Row[];
  return makeBinding({
    query: async (statement) => rows(statement),
    arrays: async ({ sql, parameters }) => {
      const statement = raw.prepare(sql);
      statement.setReturnArrays(true);
      return statement.all(...parameters);
    },
    batch: async (statements) => {
      raw.exec("BEGIN");
      try {
        const results = statements.map(rows);
        raw.exec("COMMIT");
        return results;
      } catch (error) {
        // After some errors SQLite has already rolled back.
        if (raw.isTransaction) raw.exec("ROLLBACK");
        throw toD1Error(error);
      }
    },
  });
}

/** Words an error like D1, with the name of SQLite's primary result code, which is the lowest byte (sqlite.org/rescode.html). */
function toD1Error(error: unknown): unknown {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return error;
  const name = new Map([
    [1, "SQLITE_ERROR"],
    [19, "SQLITE_CONSTRAINT"],
  ]).get(error.errcode % 256);
  return name === undefined ? error : new Error(`D1_ERROR: ${error.message}: ${name}`, { cause: error });
}
