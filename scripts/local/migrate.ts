// `node scripts/local/migrate.ts CHECKOUT STATE_FOLDER [COUNT]`: migrates the databases of a local run to the checkout's
// last migration. `wrangler d1 migrations apply --local` starts a workerd for each file, which takes half a second each;
// here one workerd applies them all, and keeps wrangler's own record. It is a separate process, because wrangler installs
// signal handlers.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { areMigrated, listMigrations, recordMigrated } from "./migrated.ts";

const BASELINE = "0001_schema.sql";
/** The table that `wrangler d1 migrations` creates and reads. */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

/** On a machine that is very busy, workerd may close the connection of a call. */
const ATTEMPTS = 3;

const [root, stateFolder, count = "1"] = process.argv.slice(2);
if (root === undefined || stateFolder === undefined) throw new Error("migrate.ts CHECKOUT STATE_FOLDER [COUNT]");
if (!(await areMigrated(root, stateFolder, Number(count)))) {
  for (let attempt = 1; ; attempt++) {
    try {
      await migrate(root, stateFolder, Number(count));
      break;
    } catch (error) {
      if (attempt === ATTEMPTS || !isConnectionLost(error)) throw error;
    }
  }
  await recordMigrated(root, stateFolder, Number(count));
}

function isConnectionLost(error: unknown): boolean {
  return error instanceof TypeError && error.message === "fetch failed";
}

async function migrate(root: string, stateFolder: string, count: number): Promise<void> {
  const { unstable_splitSqlQuery: splitSqlQuery } = await import("wrangler");
  const { openLocalDatabases } = await import("./databases.ts");
  const migrations = await Promise.all(
    (await listMigrations(root)).map(async (name) => {
      const statements = splitSqlQuery(await readFile(join(root, "migrations", name), "utf8"));
      return { name, statements };
    }),
  );
  const { databases, dispose } = await openLocalDatabases(root, stateFolder, count);
  try {
    for (const database of databases) await applyMigrations(database, migrations);
  } finally {
    await dispose();
  }
}

interface Migration {
  name: string;
  statements: string[];
}

/** Each migration is applied completely or not at all, so an interrupted run can be repeated. */
async function applyMigrations(database: D1Database, migrations: Migration[]): Promise<void> {
  await database.prepare(RECORD).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  // Such databases were made before the schema was put into one file.
  if (applied.size > 0 && !applied.has(BASELINE))
    throw new Error("The local databases are older than the first release. Delete their folder and start again.");
  for (const { name, statements } of migrations.filter((migration) => !applied.has(migration.name))) {
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}
