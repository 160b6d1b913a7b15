// A second start reads from a record whether the databases have their tables, instead of starting a workerd (-> scripts/local/migrated.ts).
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, it } from "vitest";
import { areMigrated, listMigrations, recordMigrated } from "../../../scripts/local/migrated.ts";
import { ROOT } from "../../support/documents/markdown.ts";

const FOLDER = "v3/d1/miniflare-D1DatabaseObject";
let checkout: string;
let state: string;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), "crier-migrated-"));
  checkout = join(folder, "checkout");
  state = join(folder, "state");
  for (const name of ["migrations", "wrangler.toml"])
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  mkdirSync(join(state, FOLDER), { recursive: true });
  writeFileSync(join(state, FOLDER, "metadata.sqlite"), "the runtime's own");
  writeDatabase("one", await listMigrations(checkout));
  await recordMigrated(checkout, state, 1);
});
afterEach(() => rmSync(join(state, ".."), { recursive: true }));

function writeDatabase(name: string, migrations: string[]): void {
  const database = new DatabaseSync(join(state, FOLDER, `${name}.sqlite`));
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE d1_migrations (name TEXT)");
  for (const migration of migrations) database.prepare("INSERT INTO d1_migrations VALUES (?)").run(migration);
  database.close();
}

it("no migrations are applied if the record and the database have all of them", async () => {
  expect(await areMigrated(checkout, state, 1)).toBe(true);
});

it.each<[string, () => void]>([
  ["a migration was added", () => writeFileSync(join(checkout, "migrations/9999_later.sql"), "SELECT 1")],
  ["wrangler.toml has changed", () => writeFileSync(join(checkout, "wrangler.toml"), "")],
  ["the database is gone", () => rmSync(join(state, FOLDER, "one.sqlite"))],
  ["the file is not a database", () => writeFileSync(join(state, FOLDER, "one.sqlite"), "none")],
  ["there is another database", () => writeDatabase("another", [])],
  ["there is no record", () => rmSync(join(state, "migrated.json"))],
])("migrations are applied if %s", async (_, change) => {
  change();
  expect(await areMigrated(checkout, state, 1)).toBe(false);
});

it("migrations are applied if more databases are needed than before", async () => {
  expect(await areMigrated(checkout, state, 3)).toBe(false);
});
