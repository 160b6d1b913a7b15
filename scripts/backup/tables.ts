// The tables of a database in an order that allows inserting their rows, their rows by pages, and the insertion of rows.
import type { Query } from "../query.ts";
import { bindExpression, bindText, decodeValue, isPlain, selectEncoded, type Value } from "./values.ts";

export interface Table {
  name: string;
  columns: string[];
  /** The columns of its primary key. */
  key: string[];
}

/**
 * Bytes of one page and of one parameter. D1 accepts a string of 2,000,000 bytes and a statement of 100,000, so values are
 * bound and never written into a statement: developers.cloudflare.com/d1/platform/limits, updated 2026-04-21, read
 * 2026-11-24.
 */
const PAGE_BYTES_MAX = 1_000_000;
const PAGE_ROWS_MAX = 2_000;

/** Tables of the platform, of wrangler and of a restore, which are not tables of Crier. */
export const PROGRESS_TABLE = "restore_progress";
const OTHERS = `name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE '\\_cf\\_%' ESCAPE '\\'
  AND name NOT IN ('d1_migrations', '${PROGRESS_TABLE}')`;

const encoder = new TextEncoder();
const quote = (name: string) => `"${name}"`;
const list = (names: string[]) => names.map(quote).join(", ");

/** All tables of a database, each after the tables that its rows reference. */
export async function readTables(query: Query): Promise<Table[]> {
  const rows = await query(
    `SELECT t.name AS "table", c.name AS "column", c.pk FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND ${OTHERS}) AS t
      JOIN pragma_table_info(t.name) AS c ORDER BY t.name, c.cid`,
  );
  const names = [...new Set(rows.map(({ table }) => String(table)))];
  const tables = names.map((name): Table => {
    const columns = rows.filter(({ table }) => table === name);
    const key = columns.filter(({ pk }) => Number(pk) > 0).sort((a, b) => Number(a.pk) - Number(b.pk));
    if (key.length === 0) throw new Error(`The table ${name} has no primary key.`);
    const columnNames = (some: typeof columns) => some.map(({ column }) => String(column));
    return { name, columns: columnNames(columns), key: columnNames(key) };
  });
  return orderByParents(tables, await readParents(query));
}

async function readParents(query: Query): Promise<Map<string, string[]>> {
  const rows = await query(
    `SELECT t.name AS child, f."table" AS parent FROM (SELECT name FROM sqlite_schema WHERE type = 'table' AND ${OTHERS}) AS t
      JOIN pragma_foreign_key_list(t.name) AS f`,
  );
  const parents = new Map<string, string[]>();
  for (const { child, parent } of rows) {
    parents.set(String(child), [...(parents.get(String(child)) ?? []), String(parent)]);
  }
  return parents;
}

function orderByParents(tables: Table[], parents: Map<string, string[]>): Table[] {
  const ordered: Table[] = [];
  let remaining = tables;
  while (remaining.length > 0) {
    const isReady = ({ name }: Table) =>
      (parents.get(name) ?? []).every((parent) => parent === name || ordered.some((table) => table.name === parent));
    const ready = remaining.filter(isReady);
    if (ready.length === 0) throw new Error(`Rows of ${remaining.map(({ name }) => name)} refer to each other.`);
    ordered.push(...ready);
    remaining = remaining.filter((table) => !ready.includes(table));
  }
  return ordered;
}

/** The names of the migrations applied to a database. */
export async function readMigrations(query: Query): Promise<string[]> {
  const rows = await query("SELECT name FROM d1_migrations ORDER BY name");
  return rows.map(({ name }) => String(name));
}

/** The first table that has a row; null: the database is empty. */
export async function findFilledTable(query: Query, tables: Table[]): Promise<string | null> {
  for (const { name } of tables) {
    if ((await query(`SELECT 1 AS filled FROM ${quote(name)} LIMIT 1`)).length > 0) return name;
  }
  return null;
}

export async function countRows(query: Query, { name }: Table): Promise<number> {
  const [row] = await query(`SELECT COUNT(*) AS count FROM ${quote(name)}`);
  return Number(row?.count);
}

/** All rows of a table in key order, in pages that fit into an answer. `where`: only the rows that match. */
export async function* readRows(
  query: Query,
  { name, columns, key }: Table,
  where = "TRUE",
): AsyncGenerator<Value[][], void, undefined> {
  const keys = list(key);
  const size = columns.map((column) => `COALESCE(octet_length(${quote(column)}), 0)`).join(" + ");
  const selected = columns.map((column, i) => `${selectEncoded(quote(column))} AS c${i}`).join(", ");
  const positions = key.map((column) => columns.indexOf(column));
  for (let after: string[] | null = null; ; ) {
    const behind = after === null ? "TRUE" : `(${keys}) > (${key.map((_, i) => `?${i + 1}`).join(", ")})`;
    const last = `SELECT ${keys} FROM (SELECT *, SUM(size) OVER (ORDER BY ${keys} ROWS UNBOUNDED PRECEDING) AS total FROM sizes)
      WHERE total - size < ${PAGE_BYTES_MAX} ORDER BY ${key.map((column) => `${quote(column)} DESC`).join(", ")} LIMIT 1`;
    const rows = await query(
      `WITH sizes AS (SELECT ${keys}, ${size} AS size FROM ${quote(name)}
        WHERE ${behind} AND (${where}) ORDER BY ${keys} LIMIT ${PAGE_ROWS_MAX})
      SELECT ${selected}, (SELECT COUNT(*) FROM sizes) AS following FROM ${quote(name)}
        WHERE ${behind} AND (${where}) AND (${keys}) <= (${last}) ORDER BY ${keys}`,
      ...(after ?? []),
    );
    const page = rows.map((row) => columns.map((_, i) => decodeValue(row[`c${i}`])));
    if (page.length > 0) yield page;
    const following = Number(rows[0]?.following ?? 0);
    if (following < PAGE_ROWS_MAX && page.length === following) return;
    const lastRow = page.at(-1) ?? [];
    after = positions.map((position) => bindText(lastRow[position] ?? null));
  }
}

/** Inserts the rows that do not exist yet. */
export async function insertRows(query: Query, table: Table, rows: Value[][]): Promise<void> {
  const insert = `INSERT OR IGNORE INTO ${quote(table.name)} (${list(table.columns)})`;
  const columns = table.columns.map((_, i) => `value ->> ${i}`).join(", ");
  let texts: string[] = [];
  let bytes = 0;
  const flush = async () => {
    if (texts.length > 0) await query(`${insert} SELECT ${columns} FROM json_each(?1)`, `[${texts.join(",")}]`);
    texts = [];
    bytes = 0;
  };
  for (const row of rows) {
    const text = JSON.stringify(row);
    const length = encoder.encode(text).byteLength + 1;
    if (!row.every(isPlain) || length > PAGE_BYTES_MAX) {
      await insertBound(query, insert, row);
      continue;
    }
    if (bytes + length > PAGE_BYTES_MAX || texts.length === PAGE_ROWS_MAX) await flush();
    texts.push(text);
    bytes += length;
  }
  await flush();
}

/** D1 binds 100 parameters, and a table has at most 100 columns. */
async function insertBound(query: Query, insert: string, row: Value[]): Promise<void> {
  const bound = row.filter((value) => value !== null);
  let n = 0;
  const expressions = row.map((value) => bindExpression(value, value === null ? 0 : ++n));
  await query(`${insert} VALUES (${expressions.join(", ")})`, ...bound.map(bindText));
}
