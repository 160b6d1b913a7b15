// Whether the databases of a local run have all migrations already. To ask a workerd takes seconds, so their files are read as they
// lie there while nothing runs. Whatever is not as it should be counts as no, and is then asked the long way.
import { createHash } from "node:crypto";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The migrations of a checkout, in their order. */
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

/** Keeps which databases a state has, so that files of other databases are not taken for them. */
export const recordMigrated = async (root: string, stateFolder: string, count: number): Promise<void> =>
  writeFile(recordIn(stateFolder), await describeDatabases(root, count));

const recordIn = (stateFolder: string) => join(stateFolder, "migrated.json");

/** wrangler names the file of a database after what wrangler.toml says of it. */
async function describeDatabases(root: string, count: number): Promise<string> {
  const toml = await readFile(join(root, "wrangler.toml"));
  return JSON.stringify({ count, configuration: createHash("sha256").update(toml).digest("hex") });
}

/** The migrations on wrangler's own record of a database. */
async function readApplied(file: string): Promise<Set<string>> {
  // Node has it from 22.5 on.
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
