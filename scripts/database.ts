// A deployment's database, or a local run's, asked over wrangler.
import { signIn } from "./deploy/account.ts";
import { databaseName, readInstallation } from "./deploy/installation.ts";
import { runWrangler } from "./deploy/wrangler.ts";

export interface Place {
  remote: boolean;
  /** Of a local run; `.wrangler/state` where left out. */
  persistTo?: string;
  /** Its name, or its binding in wrangler.toml. */
  database: string;
}
export type Row = Record<string, unknown>;

/** Asks one statement and resolves with its rows. */
export type Query = (sql: string) => Promise<Row[]>;

/** The databases of an installation that have workspaces, that of the accounts first. */
export async function databasesBeside(accounts: Place): Promise<string[]> {
  const query = await openDatabase(accounts);
  const rows = await query(
    "SELECT home FROM workspaces WHERE home <> 0 UNION SELECT home FROM clearances WHERE home <> 0",
  );
  const homes = rows.map(({ home }) => Number(home)).sort((a, b) => a - b);
  if (homes.length === 0) return [accounts.database];
  const name = accounts.database === "DB" ? readInstallation(undefined, process.env).database : accounts.database;
  return [name, ...homes.map((home) => databaseName(name, home))];
}

/** Signs in where that is needed. */
export async function openDatabase({ remote, persistTo, database }: Place): Promise<Query> {
  const { signal } = new AbortController();
  const env = remote ? (await signIn(process.env, signal)).wranglerEnv : {};
  const where = remote ? ["--remote"] : ["--local", "--persist-to", persistTo ?? ".wrangler/state"];
  return async (sql) => {
    const command = sql.replace(/\s+/g, " ");
    const output = await runWrangler(["d1", "execute", database, ...where, "--json", "--command", command], {
      env,
      signal,
    });
    const [result]: { results?: Row[] }[] = JSON.parse(output);
    return result?.results ?? [];
  };
}
