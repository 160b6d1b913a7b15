// Rows handed to a statement as one JSON parameter: how one statement serves many hands at once.
import { type SQL, sql } from "drizzle-orm";

type Cell = string | number | boolean | null;

export interface Given<Name extends string> {
  /** What stands behind FROM or JOIN. */
  table: SQL;
  column(name: Name): SQL;
}

/** `rows` as a table called `given`. */
export function given<Name extends string>(columns: readonly Name[], rows: Record<Name, Cell>[]): Given<Name> {
  const cells = JSON.stringify(rows.map((row) => columns.map((name) => row[name])));
  const fields = columns.map((name, i) => sql`value ->> ${sql.raw(String(i))} AS ${sql.identifier(name)}`);
  return {
    table: sql`(SELECT ${sql.join(fields, sql`, `)} FROM json_each(${cells})) AS given`,
    column: (name) => sql`given.${sql.identifier(name)}`,
  };
}
