// Passes rows to a statement as one JSON parameter, so that one statement serves many deliveries.
import { type SQL, sql } from "drizzle-orm";

type Cell = string | number | boolean | null;

export interface JsonTable<Name extends string> {
  /** The expression for FROM or JOIN. */
  table: SQL;
  column(name: Name): SQL;
  /** The parameter with its value: `rows`, reduced to the table's columns. */
  values(rows: Record<Name, Cell>[]): Record<string, string>;
}

/** The rows of a parameter as a table named `input`. */
export function jsonTable<Name extends string>(parameter: string, columns: readonly Name[]): JsonTable<Name> {
  const fields = columns.map((name, i) => sql`value ->> ${sql.raw(String(i))} AS ${sql.identifier(name)}`);
  return {
    table: sql`(SELECT ${sql.join(fields, sql`, `)} FROM json_each(${sql.placeholder(parameter)})) AS input`,
    column: (name) => sql`input.${sql.identifier(name)}`,
    values: (rows) => ({ [parameter]: JSON.stringify(rows.map((row) => columns.map((name) => row[name]))) }),
  };
}
