// Inserts many rows with one statement. All cells are in one JSON parameter, because D1 allows at most 100 parameters.
import { type Column, getTableColumns, type InferInsertModel, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import type { Database } from "./db.ts";

type Cell = string | number | null;

function toCell(column: Column, value: unknown): Cell {
  const stored: unknown = value === null ? null : column.mapToDriverValue(value);
  if (stored === null || typeof stored === "string" || typeof stored === "number") return stored;
  throw new Error(`${column.name} has a value that JSON does not carry`);
}

/** The cells of a row in the order of its table's columns, as the database stores them. */
export function toCells<Table extends SQLiteTable>(table: Table, row: InferInsertModel<Table>): Cell[] {
  const values = new Map<string, unknown>(Object.entries(row));
  return Object.entries(getTableColumns(table)).map(([name, column]) =>
    toCell(column, values.get(name) ?? column.default ?? null),
  );
}

/**
 * The statement that inserts a row for each row that `from` selects. `cells` is an expression over that row: the JSON array
 * of the new row's cells (`toCells`).
 */
export function insertCells<Table extends SQLiteTable>(db: Database, table: Table, cells: SQL, from: SQL) {
  const values = Object.keys(getTableColumns(table)).map((_, i) => sql`${cells} ->> ${sql.raw(String(i))}`);
  return db.insert(table).select(sql`SELECT ${sql.join(values, sql`, `)} ${from}`);
}
