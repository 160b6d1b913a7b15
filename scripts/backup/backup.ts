// Writes all rows of all databases into one file.
import { access } from "node:fs/promises";
import type { OpenDatabase } from "./databases.ts";
import { BackupRefused, BackupWriter, type End, FORMAT_VERSION, type Header } from "./file.ts";
import { countRows, readMigrations, readRows, readTables } from "./tables.ts";

/** Throws `BackupRefused` if a table's number of rows changed during the backup, because its rows may be inconsistent. */
export async function writeBackup(file: string, databases: OpenDatabase[], tell: (text: string) => void): Promise<End> {
  await refuseExisting(file);
  const writer = await BackupWriter.create(file, await makeHeader("backup", databases));
  try {
    for (const [home, { name, query }] of databases.entries()) {
      const tables = await readTables(query);
      let rows = 0;
      for (const table of tables) {
        const end = await writer.table(home, table, readRows(query, table));
        if (end.rows !== (await countRows(query, table))) {
          throw new BackupRefused(
            `Rows of ${table.name} in ${name} were written during the backup. Make sure that everything is stopped, then start again.`,
          );
        }
        rows += end.rows;
      }
      tell(`${name}: ${rows} rows of ${tables.length} tables`);
    }
    return await writer.finish();
  } catch (error) {
    await writer.abandon();
    throw error;
  }
}

export async function refuseExisting(file: string): Promise<void> {
  const isThere = await access(file).then(
    () => true,
    () => false,
  );
  if (isThere) throw new BackupRefused(`${file} already exists. Choose another file name.`);
}

/** Throws unless all databases have the same migrations. */
export async function makeHeader(kind: Header["crier"], databases: OpenDatabase[]): Promise<Header> {
  const migrationLists = await Promise.all(databases.map(({ query }) => readMigrations(query)));
  const [migrations = []] = migrationLists;
  if (migrationLists.some((migrationList) => migrationList.join() !== migrations.join())) {
    throw new BackupRefused("The databases have different migrations. Run npm run deploy first.");
  }
  return {
    crier: kind,
    version: FORMAT_VERSION,
    made_at: new Date().toISOString(),
    migrations,
    databases: databases.length,
  };
}
