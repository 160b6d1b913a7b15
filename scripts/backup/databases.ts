// The databases of a backup or restore, and whether they may be written meanwhile.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { isOn } from "../../src/settings.ts";
import { signIn } from "../deploy/account.ts";
import { databaseName, ROOT, readInstallation } from "../deploy/installation.ts";
import { openDatabaseByName } from "../deploy/resources.ts";
import { readDeployed } from "../deploy/worker.ts";
import { openLocalDatabases, toQuery } from "../local/databases.ts";
import { runningWith } from "../local/places.ts";
import type { Query } from "../query.ts";
import { BackupRefused } from "./file.ts";

export interface OpenDatabase {
  name: string;
  query: Query;
}
export interface OpenDatabases {
  /** By number; the accounts database comes first. */
  databases: OpenDatabase[];
  close(): Promise<void>;
}
export interface Where {
  remote: boolean;
  persistTo: string | undefined;
  /** The accounts database, by its name or its binding. */
  database: string;
}

/**
 * Opens all databases of a deployment, which must be paused, or of a local run, which must have ended. `count`: the number
 * of databases for a local run, each of which is migrated; null: the existing ones.
 */
export const openDatabases = (where: Where, count: number | null): Promise<OpenDatabases> =>
  where.remote ? openRemote(where) : openLocal(where.persistTo ?? ".wrangler/state", count);

async function openRemote({ database }: Where): Promise<OpenDatabases> {
  const { cloudflare } = await signIn(process.env, new AbortController().signal);
  const installation = readInstallation(database === "DB" ? undefined : database, process.env);
  const { isCrier, vars, databases: count } = await readDeployed(cloudflare, installation);
  if (!isCrier)
    throw new BackupRefused(`There is no Worker ${installation.name}. Run npm run deploy -- --set PAUSED=1 first.`);
  if (!isOn(vars.get("PAUSED"))) {
    throw new BackupRefused(
      "Crier is not paused and could write during this command. Run npm run deploy -- --set PAUSED=1, and wait two minutes for running calls to end.",
    );
  }
  const names = Array.from({ length: count }, (_, home) => databaseName(installation.database, home));
  const databases = await Promise.all(
    names.map(async (name): Promise<OpenDatabase> => ({ name, query: await openDatabaseByName(cloudflare, name) })),
  );
  return { databases, close: async () => {} };
}

async function openLocal(stateFolder: string, count: number | null): Promise<OpenDatabases> {
  const running = await runningWith(stateFolder);
  if (running !== null)
    throw new BackupRefused(`Crier is running with the state in ${stateFolder} (${running}). Stop it first.`);
  if (count !== null) await migrate(stateFolder, count);
  const { databases, dispose } = await openLocalDatabases(ROOT, stateFolder, count ?? (await countLocal(stateFolder)));
  return {
    databases: databases.map((database, home) => ({ name: databaseName("crier", home), query: toQuery(database) })),
    close: dispose,
  };
}

const DATABASE_NUMBER = /^\d{1,2}$/;

/** Each workspace records the number of its database. */
async function countLocal(stateFolder: string): Promise<number> {
  const { databases, dispose } = await openLocalDatabases(ROOT, stateFolder, 1);
  try {
    const rows = await databases[0]
      ?.prepare("SELECT MAX(home) AS home FROM (SELECT home FROM workspaces UNION ALL SELECT home FROM clearances)")
      .all<{ home: number | null }>();
    const home = rows?.results[0]?.home ?? 0;
    if (!DATABASE_NUMBER.test(String(home)))
      throw new BackupRefused(`A workspace is in the database ${home}, which does not exist.`);
    return home + 1;
  } catch (error) {
    if (error instanceof Error && error.message.includes("no such table")) {
      throw new BackupRefused(`There is no local run in ${stateFolder}.`);
    }
    throw error;
  } finally {
    await dispose();
  }
}

/** In a separate process, like a local run. */
async function migrate(stateFolder: string, count: number): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, "scripts/local/migrate.ts"), ROOT, stateFolder, String(count)], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  if (code !== 0) throw new BackupRefused(`The migrations could not be applied to ${stateFolder}.`);
}
