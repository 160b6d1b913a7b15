// Keeps stops by users across a restore: they are saved before the database is restored, and applied again afterwards.
import { applyStanding } from "../../src/store/after-restore.ts";
import { CREATE_STOOD_TABLE, STANDING, STOOD_TABLE } from "../../src/store/standing.ts";
import type { Query } from "../query.ts";
import { makeHeader, refuseExisting } from "./backup.ts";
import type { OpenDatabase } from "./databases.ts";
import { BackupRefused, BackupWriter, type End, readBackup } from "./file.ts";
import { checkBackup } from "./restore.ts";
import { insertRows, readRows, type Table } from "./tables.ts";
import type { Value } from "./values.ts";

const STOOD: Table = { name: STOOD_TABLE, columns: ["kind", "key", "content"], key: ["kind", "key"] };
/** Rows of one inserted page. */
const PAGE_ROWS = 2_000;

/** Saves the stops in effect in the databases. */
export async function writeStops(file: string, databases: OpenDatabase[]): Promise<End> {
  await refuseExisting(file);
  const writer = await BackupWriter.create(file, await makeHeader("stops", databases));
  try {
    for (const [home, { query }] of databases.entries()) {
      for (const { table: name, kind = name, key, columns, where } of STANDING) {
        const table = { name, key, columns: [...key, ...columns] };
        await writer.table(home, { ...table, name: kind }, readRows(query, table, where));
      }
    }
    return await writer.finish();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

/** Inserts the saved stops into a table of each database, applies them, and drops the table. */
export async function applyStops(file: string, databases: OpenDatabase[], tell: (text: string) => void): Promise<void> {
  const { header } = await checkBackup(file);
  if (header.crier !== "stops") throw new BackupRefused(`${file} was not made by npm run before-restore.`);
  if (header.databases !== databases.length) {
    throw new BackupRefused(
      `${file} covers ${header.databases} databases, but this installation has ${databases.length}.`,
    );
  }
  for (const { query } of databases) await query(CREATE_STOOD_TABLE);
  await loadStood(file, databases);
  for (const [home, database] of databases.entries()) {
    await applyChanges(database, applyStanding(home, Date.parse(header.made_at)), tell);
    await database.query(`DROP TABLE ${STOOD_TABLE}`);
  }
}

/** Runs the statements, and reports how many rows each of them changed. */
export async function applyChanges(
  { name, query }: { name: string; query: (sql: string) => ReturnType<Query> },
  changes: { says: string; sql: string }[],
  tell: (text: string) => void,
): Promise<void> {
  for (const { says, sql } of changes) {
    const { length } = await query(sql);
    if (length > 0) tell(`${name}: ${length} ${says}`);
  }
}

async function loadStood(file: string, databases: OpenDatabase[]): Promise<void> {
  let target: OpenDatabase | undefined;
  let current: Table | null = null;
  let rows: Value[][] = [];
  const flush = async () => {
    if (target !== undefined && rows.length > 0) await insertRows(target.query, STOOD, rows);
    rows = [];
  };
  await readBackup(file, {
    table: (home, table) => {
      target = databases[home];
      current = table;
    },
    row: async (line) => {
      if (current === null) return;
      rows.push(toStood(current, JSON.parse(line)));
      if (rows.length === PAGE_ROWS) await flush();
    },
    tableEnd: flush,
  });
}

/** A row in the shape of `selectStanding`. */
function toStood({ name, key, columns }: Table, row: Value[]): Value[] {
  const content = Object.fromEntries(
    columns.slice(key.length).map((column, i) => [column, row[key.length + i] ?? null]),
  );
  return [name, JSON.stringify(row.slice(0, key.length)), JSON.stringify(content)];
}
