// Runs statements on the database of a deployment or of a local run.
import { resolve } from "node:path";
import { signIn } from "./deploy/account.ts";
import { databaseName, getBindingName, ROOT, readInstallation } from "./deploy/installation.ts";
import { DATABASES_MAX } from "./deploy/options.ts";
import { openDatabaseByName } from "./deploy/resources.ts";
import type { Query } from "./query.ts";

export interface Place {
  remote: boolean;
  /** The state folder of a local run; `.wrangler/state` by default. */
  persistTo?: string;
  /** The name of the database, or its binding in wrangler.toml. */
  database: string;
}

export interface OpenedDatabase {
  query: Query;
  close(): Promise<void>;
}

/**
 * The databases of an installation that contain workspaces, the accounts database first. `query` runs on the accounts
 * database.
 */
export async function databasesBeside({ database }: Place, query: Query): Promise<string[]> {
  const rows = await query(
    "SELECT home FROM workspaces WHERE home <> 0 UNION SELECT home FROM clearances WHERE home <> 0",
  );
  const homes = rows.map(({ home }) => Number(home)).sort((a, b) => a - b);
  if (homes.length === 0) return [database];
  const name = nameOf(database);
  return [name, ...homes.map((home) => databaseName(name, home))];
}

/** `DB` is the binding of the accounts database. */
const nameOf = (database: string): string =>
  database === "DB" ? readInstallation(undefined, process.env).database : database;

/** Signs in if needed. */
export const openDatabase = ({ remote, persistTo = ".wrangler/state", database }: Place): Promise<OpenedDatabase> =>
  remote ? openRemote(nameOf(database)) : openLocal(resolve(ROOT, persistTo), nameOf(database));

async function openRemote(name: string): Promise<OpenedDatabase> {
  const { cloudflare } = await signIn(process.env, new AbortController().signal);
  return { query: await openDatabaseByName(cloudflare, name), close: async () => {} };
}

/** Runs one workerd for all statements, until `close`. To start a workerd for each statement would take too long. */
async function openLocal(stateFolder: string, name: string): Promise<OpenedDatabase> {
  const { database: first } = readInstallation(undefined, process.env);
  const homes = Array.from({ length: DATABASES_MAX }, (_, home) => home);
  const home = homes.find((number) => [databaseName(first, number), getBindingName(number)].includes(name));
  if (home === undefined) throw new Error(`wrangler.toml has no database ${name}`);
  // Wrangler takes a second to load, and deployments are queried without it.
  const { openLocalDatabases, toQuery } = await import("./local/databases.ts");
  const { databases, dispose } = await openLocalDatabases(ROOT, stateFolder, home + 1);
  const database = databases[home];
  if (database === undefined) throw new Error(`there is no database ${name}`);
  return { query: toQuery(database), close: dispose };
}
