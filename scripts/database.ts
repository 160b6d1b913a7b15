// A deployment's database, or a local run's, asked over wrangler.
import { signIn } from "./deploy/account.ts";
import { runWrangler } from "./deploy/wrangler.ts";

export interface Place {
  remote: boolean;
  /** Of a local run; `.wrangler/state` where left out. */
  persistTo?: string;
  /** Its name, or its binding in wrangler.toml. */
  database: string;
}
export type Row = Record<string, unknown>;

/** Signs in where that is needed, and returns what asks one statement and resolves with its rows. */
export async function openDatabase({ remote, persistTo, database }: Place): Promise<(sql: string) => Promise<Row[]>> {
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
