// `npm run backup` and `npm run restore` on databases with the limits of D1.
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { writeBackup } from "../../../scripts/backup/backup.ts";
import type { OpenDatabase } from "../../../scripts/backup/databases.ts";
import { checkBackup, clearUp, isEnded, load, prepare } from "../../../scripts/backup/restore.ts";
import { dumpRows, fillOddly } from "../../support/odd-rows.ts";
import { isExtensive, isWhole } from "../../support/runs.ts";
import { migrate } from "../../support/sqlite-database.ts";

const folder = mkdtempSync(join(tmpdir(), "crier-backup-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newFile = () => join(folder, `${++files}.backup`);
const ignoreProgress = () => {};

function newDatabase(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  db.exec("PRAGMA foreign_keys = ON");
  migrate(db);
  db.exec(
    "CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO d1_migrations VALUES (1, '0001')",
  );
  return db;
}

class Interrupted extends Error {
  override name = "Interrupted";
}

/**
 * A database with the limits of D1: 100,000 bytes in a statement, 100 text parameters of up to 2,000,000 bytes, and
 * numbers that JSON rounds. Calls fail from the call with the number `diesAt` on.
 */
function toD1(db: DatabaseSync, name = "crier", diesAt = Number.POSITIVE_INFINITY): OpenDatabase {
  let calls = 0;
  return {
    name,
    query: async (sql, ...params) => {
      if (++calls > diesAt) throw new Interrupted();
      expect(Buffer.byteLength(sql)).toBeLessThanOrEqual(100_000);
      expect(params.length).toBeLessThanOrEqual(100);
      for (const param of params) expect(Buffer.byteLength(param)).toBeLessThanOrEqual(2_000_000);
      const statement = db.prepare(sql);
      statement.setReadBigInts(true);
      const rounded = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value);
      return JSON.parse(JSON.stringify(statement.all(...params), rounded));
    },
  };
}

async function restore(file: string, databases: OpenDatabase[]): Promise<void> {
  const checked = await checkBackup(file);
  if (!(await isEnded(databases, checked))) {
    await prepare(databases, checked);
    await load(file, databases, ignoreProgress);
  }
  await clearUp(databases);
}

/** Reads the schema without the triggers that lock a workspace during a move. */
const readSchema = (db: DatabaseSync) =>
  db
    .prepare(
      `SELECT type, name, sql FROM sqlite_schema
        WHERE name NOT LIKE 'moving\\_%' ESCAPE '\\' AND name NOT LIKE 'homed\\_%' ESCAPE '\\' ORDER BY type, name`,
    )
    .all()
    .map((row) => ({ ...row }));

/** Writes a backup of two databases that have odd rows in every table. */
async function writeFilledBackup(rows: number) {
  const sources = [newDatabase(), newDatabase()];
  for (const [i, db] of sources.entries()) fillOddly(db, rows + i);
  const file = newFile();
  const end = await writeBackup(
    file,
    sources.map((db, i) => toD1(db, `crier_${i}`)),
    ignoreProgress,
  );
  return { sources, file, end };
}

describe("a backup", () => {
  it("a backup restores every row of every table of every database, with its types and bytes", async () => {
    const { sources, file, end } = await writeFilledBackup(14);
    const targets = [newDatabase(), newDatabase()];
    await restore(
      file,
      targets.map((db) => toD1(db)),
    );
    for (const [i, db] of targets.entries()) {
      expect(dumpRows(db)).toEqual(dumpRows(sources[i] ?? db));
      expect(readSchema(db)).toEqual(readSchema(newDatabase()));
    }
    const rows = sources.flatMap((db) => [...dumpRows(db).values()]).reduce((sum, table) => sum + table.length, 0);
    expect(end.rows).toBe(rows);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.runIf(isExtensive)("a backup can have rows of nearly two megabytes, and many pages of rows", async () => {
    const source = newDatabase();
    source.exec(`INSERT INTO workspaces (id, name, plan, created_at) VALUES ('ws_1', 'Ada', 'free', 1)`);
    const insert = source.prepare("INSERT INTO events VALUES ('ws_1', ?, ?, 'post.approved', NULL, '', ?, ?, 1)");
    for (let i = 0; i < 5_000; i++)
      insert.run(i, `evt_${i}`, i, i % 1_000 === 0 ? JSON.stringify({ text: `"\n`.repeat(475_000) }) : "{}");
    const file = newFile();
    await writeBackup(file, [toD1(source)], ignoreProgress);
    const target = newDatabase();
    await restore(file, [toD1(target)]);
    expect(dumpRows(target)).toEqual(dumpRows(source));
  });

  it("a backup fails and leaves no file if rows are written while it is made", async () => {
    const source = newDatabase();
    fillOddly(source, 3);
    const { name, query } = toD1(source);
    const changingSource: OpenDatabase = {
      name,
      query: async (sql, ...params) => {
        const rows = await query(sql, ...params);
        if (sql.includes('COUNT(*) AS count FROM "posts"')) return [{ count: 4 }];
        return rows;
      },
    };
    const file = newFile();
    await expect(writeBackup(file, [changingSource], ignoreProgress)).rejects.toThrow(
      "Rows of posts in crier were written during the backup",
    );
    expect(() => statSync(file)).toThrow("ENOENT");
    expect(() => statSync(`${file}.partial`)).toThrow("ENOENT");
  });

  it("a backup never overwrites a file", async () => {
    const file = newFile();
    writeFileSync(file, "mine");
    await expect(writeBackup(file, [toD1(newDatabase())], ignoreProgress)).rejects.toThrow("already exists");
    expect(readFileSync(file, "utf8")).toBe("mine");
  });
});

describe("a file that is not a complete backup", () => {
  it.each([
    ["an empty file", () => Buffer.alloc(0), "is incomplete"],
    ["its first half", (whole: Buffer) => whole.subarray(0, whole.length / 2), "is incomplete"],
    ["all but its last byte", (whole: Buffer) => whole.subarray(0, -1), "is incomplete"],
    [
      "with another byte",
      (whole: Buffer) =>
        Buffer.concat([whole.subarray(0, 5_000), Buffer.from([(whole[5_000] ?? 0) ^ 1]), whole.subarray(5_001)]),
      /damaged|checksum|changed|not a backup|incomplete|continues/,
    ],
    ["with other content", () => Buffer.from("PRAGMA foreign_keys = OFF;"), "not a backup"],
  ])("a restore refuses an invalid file before it writes anything: %s", async (_, cut, message) => {
    const { file } = await writeFilledBackup(4);
    writeFileSync(file, cut(readFileSync(file)));
    await expect(checkBackup(file)).rejects.toThrow(message);
  });

  it("a restore refuses a path without a file", async () => {
    await expect(checkBackup(join(folder, "none"))).rejects.toThrow("There is no file");
  });
});

describe("a restore", () => {
  it("a restore continues wherever it was interrupted, and leaves the normal schema with its triggers", async () => {
    const { sources, file } = await writeFilledBackup(1);
    const stepsApart = isWhole ? 41 : isExtensive ? 164 : 410;
    let step = 1;
    for (; ; step += stepsApart) {
      const targets = [newDatabase(), newDatabase()];
      const [first, second] = targets;
      if (first === undefined || second === undefined) throw new Error("there are two");
      const broke = await restore(file, [toD1(first, "crier", step), toD1(second, "crier_1", step)]).then(
        () => false,
        (error) => {
          expect(error).toBeInstanceOf(Interrupted);
          return true;
        },
      );
      if (!broke) break;
      await restore(
        file,
        targets.map((db) => toD1(db)),
      );
      for (const [i, db] of targets.entries()) {
        expect(dumpRows(db), `after ${step} calls`).toEqual(dumpRows(sources[i] ?? db));
        expect(readSchema(db), `after ${step} calls`).toEqual(readSchema(newDatabase()));
      }
    }
    expect(step).toBeGreaterThan(100);
  });

  it("a restore refuses databases that have rows, an unfinished restore of another file, or other migrations", async () => {
    const { file } = await writeFilledBackup(1);
    const makeTargets = (db: DatabaseSync) => [toD1(db), toD1(newDatabase(), "crier_1")];
    const used = newDatabase();
    used.exec("INSERT INTO users (id, email, created_at) VALUES ('usr_1', 'a@example.com', 1)");
    await expect(restore(file, makeTargets(used))).rejects.toThrow("crier is not empty: users has rows");
    const { file: otherFile } = await writeFilledBackup(2);
    const begunTarget = newDatabase();
    await expect(restore(otherFile, [toD1(begunTarget, "crier", 80), toD1(newDatabase())])).rejects.toThrow(
      Interrupted,
    );
    await expect(restore(file, makeTargets(begunTarget))).rejects.toThrow("unfinished restore of another file");
    const newer = newDatabase();
    newer.exec("INSERT INTO d1_migrations VALUES (2, '0002')");
    await expect(restore(file, makeTargets(newer))).rejects.toThrow("differ in the migration 0002");
    await expect(restore(file, [toD1(newDatabase())])).rejects.toThrow("npm run deploy -- --databases 2");
  });
});
