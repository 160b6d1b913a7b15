// `node scripts/local/migrate.ts CHECKOUT STATE_FOLDER [COUNT]`: brings the databases of a local run to the checkout's last migration.
// `wrangler d1 migrations apply --local` starts a workerd for each file, half a second every time; here one
// workerd applies them all, and keeps wrangler's own record. A process of its own, for wrangler takes over its signals.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { unstable_splitSqlQuery as splitSqlQuery } from "wrangler";
import { openLocalDatabases } from "./databases.ts";

/** What `wrangler d1 migrations` makes and reads. */
const RECORD = `CREATE TABLE IF NOT EXISTS d1_migrations (
  id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`;

const [root, stateFolder, count = "1"] = process.argv.slice(2);
if (root === undefined || stateFolder === undefined) throw new Error("migrate.ts CHECKOUT STATE_FOLDER [COUNT]");
const { databases, dispose } = await openLocalDatabases(root, stateFolder, Number(count));
try {
  for (const database of databases) await applyMigrations(database, join(root, "migrations"));
} finally {
  await dispose();
}

/** Each migration is applied wholly or not at all, so that a run which was ended is repeated. */
async function applyMigrations(database: D1Database, folder: string): Promise<void> {
  await database.prepare(RECORD).run();
  const { results } = await database.prepare("SELECT name FROM d1_migrations").all<{ name: string }>();
  const applied = new Set(results.map(({ name }) => name));
  const files = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  for (const name of files.filter((file) => !applied.has(file))) {
    const statements = splitSqlQuery(await readFile(join(folder, name), "utf8"));
    await database.batch([
      ...statements.map((statement) => database.prepare(statement)),
      database.prepare("INSERT INTO d1_migrations (name) VALUES (?)").bind(name),
    ]);
  }
}
