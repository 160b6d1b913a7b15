// Fills every table with values that a copy of a database could get wrong, and dumps rows without losing anything.
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

/** Values of the types and sizes that real rows have, and of those that only SQLite allows. */
const ODD_VALUES: SQLInputValue[] = [
  "😀 e\u0301 \u2028 \u2029 \u202e",
  9_007_199_254_740_993n,
  new Uint8Array([0, 255, 10, 39]),
  "a\0b",
  -9_223_372_036_854_775_808n,
  `'); DROP TABLE posts; -- " \\ \n\r\t`,
  0.1,
  "",
  "9007199254740993",
  1e300,
  '[1,{"int":"2"}]',
  "x".repeat(63_000),
  '"\\\n'.repeat(400),
];

/** The odd values that may occur a million times. */
const PLAIN_VALUES = ODD_VALUES.filter(
  (value) => typeof value === "string" && !value.includes("\0") && value.length < 10_000,
);

/** JSON that a copy could get wrong, for each kind of JSON column. */
const ODD_JSON: Record<string, SQLInputValue> = {
  array: `[9007199254740993, 0.1, 1e300, "\\u0000\\ud800 \u2028 '); DROP TABLE posts; --", {"a": "2"}]`,
  object: `{"😀": "9007199254740993", "a": [1.0, null, "e\u0301"]}`,
};

/** Reads which kind of JSON a column accepts, by table and column. */
function readJsonKinds(db: DatabaseSync): Map<string, string> {
  const kinds = new Map<string, string>();
  for (const { name, sql } of db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all()) {
    for (const [, column, kind = ""] of String(sql).matchAll(/CHECK \(JSON_TYPE\((\w+)\) = '(\w+)'\)/g))
      kinds.set(`${name}.${column}`, kind);
  }
  return kinds;
}

/** Reads values for columns that accept only certain texts or a range of numbers, by table and column. */
function readAcceptedValues(db: DatabaseSync): Map<string, SQLInputValue[]> {
  const accepted = new Map<string, SQLInputValue[]>();
  for (const { name, sql } of db.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'table'").all()) {
    for (const [, column, texts = ""] of String(sql).matchAll(/CHECK \((\w+) IN \(([^)]+)\)\)/g))
      accepted.set(
        `${name}.${column}`,
        [...texts.matchAll(/'([^']*)'/g)].map(([, text = ""]) => text),
      );
    for (const [, column, least = "", most = ""] of String(sql).matchAll(/CHECK \((\w+) BETWEEN (\d+) AND (\d+)\)/g))
      accepted.set(`${name}.${column}`, [BigInt(least), BigInt(most), 0.1]);
  }
  return accepted;
}

interface Column {
  name: string;
  notnull: number;
  pk: number;
  type: string;
}

const listTables = (db: DatabaseSync): string[] =>
  db
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all()
    .map(({ name }) => String(name))
    .filter((name) => !/^(sqlite_|_cf_|d1_migrations$|restore_progress$)/.test(name));

const listColumns = (db: DatabaseSync, table: string): Column[] =>
  db
    .prepare('SELECT name, "notnull", pk, type FROM pragma_table_info(?) ORDER BY cid')
    .all(table)
    .map((row) => ({
      name: String(row.name),
      notnull: Number(row.notnull),
      pk: Number(row.pk),
      type: String(row.type),
    }));

/**
 * Puts `count` rows into every table. Keys and references are the same in all tables. All other values are odd but accepted by their
 * columns; after the first `odd` rows they are of moderate size. Triggers do not run.
 */
export function fillOddly(db: DatabaseSync, count: number, odd = count): void {
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
    .all()
    .map(({ name, sql }) => ({ name: String(name), sql: String(sql) }));
  const jsonKinds = readJsonKinds(db);
  const acceptedValues = readAcceptedValues(db);
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec("PRAGMA foreign_keys = OFF; BEGIN");
  for (const table of listTables(db)) {
    const identifying = new Set(
      db
        .prepare(
          `SELECT "from" AS name FROM pragma_foreign_key_list(?1) UNION SELECT c.name FROM pragma_index_list(?1) AS i
            JOIN pragma_index_info(i.name) AS c WHERE i."unique"`,
        )
        .all(table)
        .map((row) => row.name),
    );
    const columns = listColumns(db, table);
    const names = columns.map(({ name }) => name);
    const insert = db.prepare(`INSERT INTO ${table} (${names.join()}) VALUES (${names.map(() => "?").join()})`);
    for (let i = 0; i < count; i++) {
      insert.run(
        ...columns.map(({ name, notnull, pk, type }, position) => {
          const isKey = pk > 0 || identifying.has(name);
          const accepted = acceptedValues.get(`${table}.${name}`);
          if (isKey && accepted === undefined)
            return type === "INTEGER" ? BigInt(i) : `odd_${String(i).padStart(6, "0")}`;
          // A backup uses this column to find the number of databases.
          if (name === "home") return 0;
          if (notnull === 0 && (i + position) % 4 === 0) return null;
          const kind = jsonKinds.get(`${table}.${name}`);
          if (kind !== undefined) return ODD_JSON[kind] ?? null;
          const values = accepted ?? (i < odd ? ODD_VALUES : PLAIN_VALUES);
          return values[(i * 7 + position) % values.length] ?? null;
        }),
      );
    }
  }
  db.exec("COMMIT; PRAGMA foreign_keys = ON");
  const broken = db.prepare("PRAGMA foreign_key_check").all();
  if (broken.length > 0) throw new Error(`Rows without a parent: ${JSON.stringify(broken.slice(0, 3))}`);
  for (const { sql } of triggers) db.exec(sql);
}

/** Dumps every row of every table, with the types and bytes of its values. */
export function dumpRows(db: DatabaseSync): Map<string, string[]> {
  return new Map(
    listTables(db).map((table) => {
      const columns = listColumns(db, table);
      const values = columns.map(
        ({ name }) => `typeof("${name}") || ' ' || COALESCE(hex(CAST("${name}" AS BLOB)), '')`,
      );
      const key = columns.filter(({ pk }) => pk > 0).map(({ name }) => `"${name}"`);
      const rows = db.prepare(`SELECT ${values.join(" || ',' || ")} AS row FROM ${table} ORDER BY ${key.join()}`).all();
      return [table, rows.map(({ row }) => String(row))];
    }),
  );
}
