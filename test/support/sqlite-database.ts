// Crier's database binding over Node's own SQLite, with all migrations: for what needs many rows and no worker.
import { readdirSync, readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { type Bound, bindingOf, type Row } from "./sqlite-binding.ts";

const folder = `${import.meta.dirname}/../../migrations`;

/** Carries out all migrations, in their order. */
export function migrate(raw: DatabaseSync): void {
  for (const file of readdirSync(folder).sort()) raw.exec(readFileSync(`${folder}/${file}`, "utf8"));
}

/** A database in memory, and its binding. */
export function sqliteDatabase(): { raw: DatabaseSync; binding: D1Database } {
  const raw = new DatabaseSync(":memory:");
  migrate(raw);
  return { raw, binding: sqliteBinding(raw) };
}

/** A binding of a database. */
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
    batch: async (statements) => statements.map(rows),
  });
}
