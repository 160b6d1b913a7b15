// Inserts the rows of a backup into empty databases. Each database stores its progress (`restore_progress`), so an
// interrupted restore resumes, and other rows never mix with those of the backup.
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import * as z from "zod";
import { guards } from "../move/tables.ts";
import type { OpenDatabase } from "./databases.ts";
import { BackupRefused, type End, type Header, RowsDigest, readBackup, type TableEnd } from "./file.ts";
import {
  findFilledTable,
  insertRows,
  PROGRESS_TABLE,
  readMigrations,
  readRows,
  readTables,
  type Table,
} from "./tables.ts";
import type { Value } from "./values.ts";

/** The maximum size of a page of rows that is inserted at once. */
const PAGE_ROWS = 2_000;
const PAGE_BYTES = 1_000_000;

const Row = z.array(
  z.union([
    z.null(),
    z.number(),
    z.string(),
    z.object({ int: z.string() }),
    z.object({ real: z.string() }),
    z.object({ blob: z.string() }),
  ]),
);
/** `ended`: every database is restored; only the accounts database has this stage. */
const Stage = z.enum(["loading", "loaded", "ended"]);
const Triggers = z.array(z.object({ name: z.string(), sql: z.string() }));

export interface Checked {
  header: Header;
  end: End;
  /** The digest of the file, with which an interrupted restore checks that it resumes with the same file. */
  digest: string;
}

/** Reads a file once and checks its counts and checksums. */
export async function checkBackup(file: string): Promise<Checked> {
  let header: Header | null = null;
  let digest = new RowsDigest();
  const end = await readBackup(file, {
    header: (read) => {
      header = read;
    },
    table: () => {
      digest = new RowsDigest();
    },
    row: (line) => digest.add(line),
    tableEnd: (tableEnd) => {
      const { rows, sha256 } = digest.end();
      if (rows !== tableEnd.rows || sha256 !== tableEnd.sha256)
        throw new BackupRefused(`Rows of ${file} were changed.`);
    },
  });
  if (header === null) throw new BackupRefused(`${file} is not a backup of Crier.`);
  return { header, end, digest: await digestFile(file) };
}

async function digestFile(file: string): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest("hex");
}

/** Throws `BackupRefused` unless every database is empty, or contains an interrupted restore of the same file. */
export async function prepare(databases: OpenDatabase[], { header, digest }: Checked): Promise<void> {
  if (databases.length < header.databases) {
    throw new BackupRefused(
      `The backup contains ${header.databases} databases, but this installation has ${databases.length}. Run npm run deploy -- --databases ${header.databases}.`,
    );
  }
  for (const database of databases) await refuseOthers(database, header, digest);
  for (const { query } of databases) {
    await query(`CREATE TABLE IF NOT EXISTS ${PROGRESS_TABLE} (
      file TEXT PRIMARY KEY, position INTEGER NOT NULL, stage TEXT NOT NULL, triggers TEXT NOT NULL) WITHOUT ROWID`);
    await query(
      `INSERT OR IGNORE INTO ${PROGRESS_TABLE} (file, position, stage, triggers)
        SELECT ?1, 0, 'loading', json_group_array(json_object('name', name, 'sql', sql)) FROM sqlite_schema WHERE type = 'trigger'`,
      digest,
    );
  }
}

async function refuseOthers({ name, query }: OpenDatabase, { migrations }: Header, digest: string): Promise<void> {
  const applied = await readMigrations(query);
  const differing =
    migrations.find((migration) => !applied.includes(migration)) ??
    applied.find((migration) => !migrations.includes(migration));
  if (differing !== undefined) {
    throw new BackupRefused(
      `The backup and ${name} differ in the migration ${differing}: check out the version of Crier that made the backup, and deploy it.`,
    );
  }
  const progress = await readProgress(query);
  if (progress !== null && progress.file !== digest) {
    throw new BackupRefused(
      `${name} has an unfinished restore of another file. Finish that restore, or create the database again.`,
    );
  }
  if (progress !== null) return;
  const filled = await findFilledTable(query, await readTables(query));
  if (filled === null) return;
  throw new BackupRefused(
    `${name} is not empty: ${filled} has rows. A backup can only be restored into new databases.`,
  );
}

interface Progress {
  file: string;
  /** Rows already inserted into the database. */
  position: number;
  stage: z.infer<typeof Stage>;
  triggers: z.infer<typeof Triggers>;
}

async function readProgress(query: OpenDatabase["query"]): Promise<Progress | null> {
  const there = await query("SELECT 1 AS there FROM sqlite_schema WHERE name = ?", PROGRESS_TABLE);
  if (there.length === 0) return null;
  const [row] = await query(`SELECT file, position, stage, triggers FROM ${PROGRESS_TABLE}`);
  if (row === undefined) return null;
  return {
    file: String(row.file),
    position: Number(row.position),
    stage: Stage.parse(row.stage),
    triggers: Triggers.parse(JSON.parse(String(row.triggers))),
  };
}

/** Inserts the rows of the file into the databases, compares every row, and re-enables their triggers. */
export async function load(file: string, databases: OpenDatabase[], tell: (text: string) => void): Promise<void> {
  const loaders = await Promise.all(databases.map((database) => Loader.begin(database)));
  let loader: Loader | undefined;
  await readBackup(file, {
    table: async (home, table) => {
      loader = loaders[home];
      await loader?.begin(table);
    },
    row: async (line) => loader?.add(line),
    tableEnd: async (end) => loader?.end(end),
  });
  for (const databaseLoader of loaders) await databaseLoader.finish(tell);
}

class Loader {
  readonly #database: OpenDatabase;
  readonly #progress: Progress;
  #table: Table | null = null;
  readonly #ends: { table: Table; end: TableEnd }[] = [];
  #position = 0;
  #rows: Value[][] = [];
  #bytes = 0;

  private constructor(database: OpenDatabase, progress: Progress) {
    this.#database = database;
    this.#progress = progress;
  }

  static async begin(database: OpenDatabase): Promise<Loader> {
    const progress = await readProgress(database.query);
    if (progress === null) throw new Error(`${database.name} is not prepared.`);
    // The backup already contains the rows that triggers would write.
    if (progress.stage === "loading")
      for (const { name } of progress.triggers) await database.query(`DROP TRIGGER IF EXISTS ${name}`);
    return new Loader(database, progress);
  }

  async begin(table: Table): Promise<void> {
    this.#table = table;
  }

  async add(line: string): Promise<void> {
    this.#position += 1;
    if (this.#progress.stage !== "loading" || this.#position <= this.#progress.position) return;
    this.#rows.push(Row.parse(JSON.parse(line)));
    this.#bytes += line.length;
    if (this.#rows.length >= PAGE_ROWS || this.#bytes >= PAGE_BYTES) await this.#flush();
  }

  async end(end: TableEnd): Promise<void> {
    await this.#flush();
    if (this.#table !== null) this.#ends.push({ table: this.#table, end });
    this.#table = null;
  }

  async #flush(): Promise<void> {
    if (this.#rows.length === 0 || this.#table === null) return;
    await insertRows(this.#database.query, this.#table, this.#rows);
    await this.#database.query(`UPDATE ${PROGRESS_TABLE} SET position = ?`, String(this.#position));
    this.#rows = [];
    this.#bytes = 0;
  }

  async finish(tell: (text: string) => void): Promise<void> {
    const { name, query } = this.#database;
    if (this.#progress.stage === "loading") {
      for (const { table, end } of this.#ends) await compare(this.#database, table, end);
      for (const { sql } of this.#progress.triggers)
        await query(sql.replace(/^CREATE TRIGGER (?!IF NOT)/i, "CREATE TRIGGER IF NOT EXISTS "));
      // A workspace that was being moved stays locked until its move is finished.
      const moving = await query("SELECT 1 AS moving FROM moving LIMIT 1");
      if (moving.length > 0) for (const sql of guards()) await query(sql);
      await query(`UPDATE ${PROGRESS_TABLE} SET stage = 'loaded'`);
    }
    tell(`${name}: ${this.#position} rows of ${this.#ends.length} tables written and compared`);
  }
}

async function compare({ name, query }: OpenDatabase, table: Table, tableEnd: TableEnd): Promise<void> {
  const digest = new RowsDigest();
  for await (const page of readRows(query, table)) for (const row of page) digest.add(JSON.stringify(row));
  const { rows, sha256 } = digest.end();
  if (rows !== tableEnd.rows || sha256 !== tableEnd.sha256) {
    throw new BackupRefused(
      `The rows of ${table.name} in ${name} differ from the backup. Create the database again, then restore again.`,
    );
  }
}

/** Whether the restore of this file is complete except for the cleanup. */
export async function isEnded([accounts]: OpenDatabase[], { digest }: Checked): Promise<boolean> {
  const progress = accounts === undefined ? null : await readProgress(accounts.query);
  return progress?.file === digest && progress.stage === "ended";
}

/**
 * Removes the progress of a restore. The accounts database comes last, so that a restore that breaks off here is known to be
 * complete.
 */
export async function clearUp(databases: OpenDatabase[]): Promise<void> {
  await databases[0]?.query(`UPDATE ${PROGRESS_TABLE} SET stage = 'ended'`);
  for (const { query } of databases.toReversed()) await query(`DROP TABLE IF EXISTS ${PROGRESS_TABLE}`);
}
