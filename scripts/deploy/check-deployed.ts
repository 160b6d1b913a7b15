// Checks after the upload that Cloudflare has the intended state. Reads everything again.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import * as z from "zod";
import { DeployFailure } from "./failure.ts";
import { type Configuration, databaseName, type Installation } from "./installation.ts";
import { findDistant } from "./place.ts";
import { ensureQueues, listMigrations, missingMigrations, query, type Work, whereDatabaseRuns } from "./resources.ts";
import { lacks, readDeployed } from "./worker.ts";

/**
 * Cloudflare refuses a Worker that takes a second to start (developers.cloudflare.com/workers/platform/limits, read
 * 2026-11-24).
 */
const STARTUP_ALARMING_MS = 500;

const Settings = z.object({
  compatibility_flags: z.array(z.string()).nullish(),
  placement: z.looseObject({ mode: z.string().nullish(), region: z.string().nullish() }).nullish(),
});

/** The deployed state and its configuration. */
export interface Deployed {
  configuration: Configuration;
  databaseIds: (string | null)[];
  /** Wrangler's output for the upload; null: there was no upload. */
  uploadOutput: string | null;
}

/** Throws an error that lists every difference, and reports each check. */
export async function checkDeployment(
  work: Work,
  { configuration, databaseIds, uploadOutput }: Deployed,
): Promise<void> {
  const { cloudflare, installation, tell } = work;
  // Queues are checked without a report, because the deploy has just reported them.
  const queues = await ensureQueues({ ...work, plan: true, tell: () => {}, tellPlanned: () => {} });
  const faults = lacks(await readDeployed(cloudflare, installation), configuration, queues);
  const path = `/workers/scripts/${installation.name}/settings`;
  const settings = await cloudflare.call(Settings, "GET", path);
  for (const flag of configuration.compatibility_flags) {
    if (!(settings.compatibility_flags ?? []).includes(flag)) faults.push(`the flag ${flag} is not set`);
  }
  const expectedPlacement =
    "region" in configuration.placement ? configuration.placement.region : configuration.placement.mode;
  const placed = settings.placement?.region ?? settings.placement?.mode ?? "anywhere";
  if (placed !== expectedPlacement) faults.push(`the Worker is placed ${placed}, not ${expectedPlacement}`);
  for (const [home, id] of databaseIds.entries()) {
    if (id !== null) faults.push(...(await findDatabaseFaults(work, id, home)));
  }
  if (faults.length > 0) {
    throw new DeployFailure(
      `Crier was deployed, but ${faults.join("; ")}.`,
      "Cloudflare may need a minute to show the change.",
    );
  }
  const located = databaseIds.map(async (id, home) => ({
    name: databaseName(installation.database, home),
    region: id === null ? undefined : await whereDatabaseRuns(cloudflare, id),
  }));
  for (const warning of findDistant(work.place, await Promise.all(located))) tell(warning);
  const startupMs = /Worker Startup Time: (\d+) ms/.exec(uploadOutput ?? "")?.[1];
  if (startupMs !== undefined) tell(`starts in ${startupMs} ms`);
  if (Number(startupMs) > STARTUP_ALARMING_MS)
    tell("WARNING: Cloudflare rejects a Worker that takes a second to start");
  tell(`version, queues, cron, placement (${placed}), migrations, tables and triggers are correct`);
}

/** Our migrations, tables, indexes and triggers that a database lacks. */
async function findDatabaseFaults(work: Work, id: string, home: number): Promise<string[]> {
  const { cloudflare, installation } = work;
  const name = databaseName(installation.database, home);
  const missing = await missingMigrations(work, id, home);
  const present = new Set(
    (await query(cloudflare, id, "SELECT type, name FROM sqlite_master")).map((row) => `${row.type} ${row.name}`),
  );
  const lacking = expectedSchema(installation).filter((thing) => !present.has(thing));
  return [...missing, ...lacking].map((thing) => `${name} has no ${thing}`);
}

/** The tables, indexes and triggers that all migrations create together. */
function expectedSchema(installation: Installation): string[] {
  const database = new DatabaseSync(":memory:");
  try {
    for (const file of listMigrations(installation)) {
      database.exec(readFileSync(join(installation.migrationsFolder, file), "utf8"));
    }
    const rows = database.prepare("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").all();
    return rows.map(({ type, name }) => `${type} ${name}`);
  } finally {
    database.close();
  }
}
