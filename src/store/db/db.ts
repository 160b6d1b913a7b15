import { getTableColumns, type InferInsertModel, isSQLWrapper, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type DrizzleD1Database, drizzle } from "drizzle-orm/d1";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** `preparedBy`: databases with the same object here share the texts of prepared statements (prepared-sql.ts). */
export type Database = DrizzleD1Database & { $client: D1Database; preparedBy: object };

const opened = new WeakMap<D1Database, Database>();
const sharedStatements = {};

/** Opens a database. Reads filter by workspace id; writes are statements that one `batch` makes atomic. */
export function openDatabase(binding: D1Database, preparedBy: object = sharedStatements): Database {
  const database = opened.get(binding) ?? Object.assign(drizzle(binding), { preparedBy });
  opened.set(binding, database);
  return database;
}

/** The database's own clock in epoch milliseconds: all leases and due times are judged by it. */
export const CLOCK = "CAST(unixepoch('subsec') * 1000 AS INTEGER)";
export const NOW = sql<number>`${sql.raw(CLOCK)}`;

/** A value, or a column or SQL that yields it. */
export type In<Value> = Value | SQLWrapper;
/** A row whose values may be columns or SQL. */
export type RowIn<Row> = { [Name in keyof Row]: In<Row[Name]> };

/**
 * The statement that inserts `row` once for each row of `from` (`FROM ... WHERE ...`, or `WHERE ...` alone). This lets
 * a batch make one write depend on another.
 */
export function insertFrom<Table extends SQLiteTable>(
  db: Database,
  table: Table,
  row: RowIn<InferInsertModel<Table>>,
  from: SQL,
) {
  const assigned = new Map<string, unknown>(Object.entries(row));
  const values = Object.entries(getTableColumns(table)).map(([name, column]) => {
    const value = assigned.get(name) ?? column.default ?? null;
    return value === null || isSQLWrapper(value) ? sql`${value}` : sql`${sql.param(value, column)}`;
  });
  return db.insert(table).select(sql`SELECT ${sql.join(values, sql`, `)} ${from}`);
}
