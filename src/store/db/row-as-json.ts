// Selects whole rows as one value.
import { and, type Column, getTableColumns, type InferSelectModel, type SQL, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";

/** D1 allows a function no more arguments: developers.cloudflare.com/d1/platform/limits, read 2026-11-21. */
const ARGUMENTS_MAX = 32;

const isJson = ({ dataType }: Column): boolean => dataType === "json";

/**
 * A row of `table` as one value of a select, for `fromJson` to read. This lets one answer of a batch contain several
 * tables, in which columns of the same name would otherwise overwrite each other. JSON columns stay JSON in it: as text
 * they would be escaped once more, and a value that just fits the row could exceed the 2 MB of D1.
 */
export function rowAsJson<Table extends SQLiteTable>(table: Table) {
  const columns = Object.entries(getTableColumns(table));
  const parts = Array.from({ length: Math.ceil(columns.length / ARGUMENTS_MAX) }, (_, i) => {
    const columnGroup = columns.slice(i * ARGUMENTS_MAX, (i + 1) * ARGUMENTS_MAX);
    return sql`json_array(${sql.join(
      columnGroup.map(([, column]) => (isJson(column) ? sql`json(${column})` : sql`${column}`)),
      sql`, `,
    )})`;
  });
  return {
    array: sql`json_array(${sql.join(parts, sql`, `)})`,
    /** True of a row whose JSON columns parse. For any other row, `array` is an error that ends the whole statement. */
    parses: and(
      sql`TRUE`,
      ...columns.flatMap(([, column]) => (isJson(column) ? [sql`(${column} IS NULL OR json_valid(${column}))`] : [])),
    ),
    read(cells: unknown[][]): InferSelectModel<Table> {
      const values = cells.flat();
      return Object.fromEntries(
        columns.map(([name, column], i): unknown[] => {
          const value = values[i] ?? null;
          return [name, value === null || isJson(column) ? value : column.mapFromDriverValue(value)];
        }),
      );
    },
  };
}

/** Like `fromJson`, for a value that is null unless `condition` holds. */
export const fromJsonIf = <Cells, Value>(condition: SQL | undefined, array: SQL, read: (cells: Cells) => Value) =>
  fromJson(sql`CASE WHEN ${condition} THEN ${array} END`, (cells: Cells): Value | null => read(cells));

/** A JSON array of a select, and the function that reads it. */
export const fromJson = <Cells, Value>(array: SQL, read: (cells: Cells) => Value) =>
  sql`${array}`.mapWith((text: string): Value => read(JSON.parse(text)));
