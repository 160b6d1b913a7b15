// Opens the databases of a local run without its worker.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { getPlatformProxy, unstable_readConfig as readConfig } from "wrangler";
import { databaseName, getBindingName } from "../deploy/installation.ts";
import type { Query, Row } from "../query.ts";

/** Runs statements on one of the databases. */
export const toQuery =
  (database: D1Database): Query =>
  async (sql, ...params) =>
    (
      await database
        .prepare(sql)
        .bind(...params)
        .all<Row>()
    ).results;

/**
 * `root`: the checkout whose wrangler.toml names the databases. `count`: the number of databases; all but the first have
 * only a binding.
 */
export async function openLocalDatabases(root: string, stateFolder: string, count: number) {
  await mkdir(stateFolder, { recursive: true });
  const configPath = join(stateFolder, "databases.json");
  // Only the databases: this workerd does not include the worker's objects.
  const { d1_databases: configuredDatabases } = readConfig(
    { config: join(root, "wrangler.toml") },
    { hideWarnings: true },
  );
  const [first] = configuredDatabases;
  const d1_databases = Array.from({ length: count }, (_, home) =>
    home === 0
      ? first
      : {
          binding: getBindingName(home),
          database_name: databaseName(first?.database_name ?? "", home),
          database_id: getBindingName(home),
        },
  );
  await writeFile(configPath, JSON.stringify({ d1_databases }));
  const { env, dispose } = await getPlatformProxy<Record<string, D1Database>>({
    configPath,
    persist: { path: join(stateFolder, "v3") },
    envFiles: [],
    remoteBindings: false,
  });
  const databases = d1_databases.flatMap((_, home) => env[getBindingName(home)] ?? []);
  return { databases, dispose };
}
