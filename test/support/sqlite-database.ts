// Crier's database binding over Node's own SQLite, with all migrations: for what needs many rows and no worker.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Bound, bindingOf, type Row } from "./sqlite-binding.ts";

const folder = `${import.meta.dirname}/../../migrations`;

/** Carries out all migrations, in their order. */
export function migrate(raw: DatabaseSync): void {
  for (const file of readdirSync(folder).sort()) raw.exec(readFileSync(`${folder}/${file}`, "utf8"));
}

/**
 * What D1 has SQLite refuse: developers.cloudflare.com/d1/platform/limits, and where the page has nothing `setupSecurity` of workerd
 * (src/workerd/util/sqlite.c++); both read 2026-11-24. SQLite alone takes far more.
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

/** A database in memory that takes what D1 takes, and its binding. */
export function sqliteDatabase(): { raw: DatabaseSync; binding: D1Database } {
  const raw = new DatabaseSync(":memory:");
  migrate(raw);
  Object.assign(raw.limits, D1_LIMITS);
  return { raw, binding: sqliteBinding(raw) };
}

/** A binding of a database: as in D1, a batch is one transaction. */
export function sqliteBinding(raw: DatabaseSync): D1Database {
  // SQLite has no other types than those of a row.
  const rows = ({ sql, parameters }: Bound) => raw.prepare(sql).all(...parameters) as Row[];
  return bindingOf({
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
        // Some errors of SQLite have rolled back by themselves.
        if (raw.isTransaction) raw.exec("ROLLBACK");
        throw toD1Error(error);
      }
    },
  });
}

/** The error as D1 words it: with the name of SQLite's primary result code, which is the lowest byte (sqlite.org/rescode.html). */
function toD1Error(error: unknown): unknown {
  if (!(error instanceof Error && "errcode" in error && typeof error.errcode === "number")) return error;
  const name = new Map([
    [1, "SQLITE_ERROR"],
    [19, "SQLITE_CONSTRAINT"],
  ]).get(error.errcode % 256);
  return name === undefined ? error : new Error(`D1_ERROR: ${error.message}: ${name}`, { cause: error });
}
