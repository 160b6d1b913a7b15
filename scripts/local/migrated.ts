// Checks whether the databases of a local run already have all migrations. Asking a workerd takes seconds, so the database
// files are read directly while nothing runs. Anything unexpected counts as no, and the slow check follows.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The migrations of a checkout, in order. */
export const listMigrations = async (root: string): Promise<string[]> =>
  (await readdir(join(root, "migrations"))).filter((name) => name.endsWith(".sql")).sort();

export async function areMigrated(root: string, stateFolder: string, count: number): Promise<boolean> {
  try {
    if ((await readFile(recordIn(stateFolder), "utf8")) !== (await describeDatabases(root, count))) return false;
    const folder = join(stateFolder, "v3/d1/miniflare-D1DatabaseObject");
    const files = (await readdir(folder)).filter((name) => name.endsWith(".sqlite") && name !== "metadata.sqlite");
    const applied = await Promise.all(files.map((file) => readApplied(join(folder, file))));
    const migrations = await listMigrations(root);
    return applied.length === count && applied.every((names) => migrations.every((name) => names.has(name)));
  } catch {
    return false;
  }
}

/** Records which databases a state has, so that other databases' files are not mistaken for them. */
export const recordMigrated = async (root: string, stateFolder: string, count: number): Promise<void> =>
  writeFile(recordIn(stateFolder), await describeDatabases(root, count));

const recordIn = (stateFolder: string) => join(stateFolder, "migrated.json");

/** wrangler derives the file name of a database from its entry in wrangler.toml. */
async function describeDatabases(root: string, count: number): Promise<string> {
  const toml = await readFile(join(root, "wrangler.toml"));
  return JSON.stringify({ count, configuration: createHash("sha256").update(toml).digest("hex") });
}

/** The migrations in wrangler's own record of a database. */
async function readApplied(file: string): Promise<Set<string>> {
  // Node has this module since 22.5.
  const { DatabaseSync } = await import("node:sqlite");
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return new Set(
      database
        .prepare("SELECT name FROM d1_migrations")
        .all()
        .map(({ name }) => String(name)),
    );
  } finally {
    database.close();
  }
}
