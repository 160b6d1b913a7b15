// Prepared SQL: statements whose text is built once, because building a long statement takes more CPU time than running
// it. Only the values of their placeholders vary from run to run.
//
// The text comes from the query builder, or is a whole statement in SQL (`toStatement`). It runs through D1's own
// `prepare`, `bind` and `batch`. Rows are read by the functions at the end, which check the types of values.
import { fillPlaceholders, type SQL, sql } from "drizzle-orm";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import type { Database } from "./db.ts";

/** A statement that can be turned into its text and parameters. Some of the parameters are placeholders. */
interface Statement {
  toSQL(): { sql: string; params: unknown[] };
}

/** A row of an answer, by the names that its statement gives the columns. */
export type AnswerRow = Readonly<Record<string, unknown>>;

const dialect = new SQLiteAsyncDialect();

/** A whole statement in SQL. */
export const toStatement = (text: SQL): Statement => ({ toSQL: () => dialect.sqlToQuery(text) });

/**
 * The function that runs the statements of `build` as one batch, with values for their placeholders. `read` gets the rows
 * of each statement by its name. The text is built once for all databases with the same `preparedBy`.
 */
export function preparedBatch<Name extends string, Value>(
  build: (db: Database) => Record<Name, Statement | readonly Statement[]>,
  read: (rowsFrom: (name: Name) => AnswerRow[]) => Value,
): (db: Database, values: Record<string, unknown>) => Promise<Value> {
  const built = new WeakMap<object, ReturnType<typeof buildTexts>>();
  return async (db, values) => {
    const texts = built.get(db.preparedBy) ?? buildTexts(build(db));
    built.set(db.preparedBy, texts);
    const { $client: binding } = db;
    const results = await binding.batch<AnswerRow>(
      texts.map(({ text, params }) => binding.prepare(text).bind(...fillPlaceholders(params, values))),
    );
    return read((name) =>
      texts.flatMap((statement, i) => (statement.name === name ? (results[i]?.results ?? []) : [])),
    );
  };
}

/** The texts of statements in the order of their execution, each with the name of its statement. */
const buildTexts = (statements: Record<string, Statement | readonly Statement[]>) =>
  Object.entries(statements).flatMap(([name, entry]) =>
    [entry].flat().map((statement) => {
      const { sql: text, params } = statement.toSQL();
      return { name, text, params };
    }),
  );

/** A parameter whose value is given by name when the statement runs. */
export const toParameter = (name: string): SQL => sql`${sql.placeholder(name)}`;

const wrongType = (name: string, expected: string) => new Error(`the column ${name} of an answer is not ${expected}`);

/** The text in a column of an answer. */
export function readText(row: AnswerRow, name: string): string {
  const value = row[name];
  if (typeof value !== "string") throw wrongType(name, "text");
  return value;
}

/** The number in a column of an answer. */
export function readNumber(row: AnswerRow, name: string): number {
  const value = row[name];
  if (typeof value !== "number") throw wrongType(name, "a number");
  return value;
}

/**
 * The number in a column of an answer; null if it has none. A broken row may have a text there, and must not make the rows
 * beside it unreadable.
 */
export function findNumber(row: AnswerRow, name: string): number | null {
  const value = row[name];
  return typeof value === "number" ? value : null;
}
