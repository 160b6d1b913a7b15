import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import type { readHealth as contract } from "../contract/health.ts";
import type { Result } from "../contract/operation.ts";
import { DATABASE_BYTES_MAX, DATABASE_FILLS_AT, HEALTH_KEPT_MS, MINUTE_MS } from "../domain/limits.ts";
import { networks, sendTimeoutsMs } from "../networks/index.ts";
import type { Database } from "../store/db/db.ts";
import { ANSWER_MAX_MS, inTime } from "../store/db/in-time.ts";
import { overdueWork } from "../store/deliveries/overdue.ts";
import { keepAnswers } from "./keep-answers.ts";
import { publishes } from "./platforms/publishes.ts";
import type { Run } from "./run.ts";

/** Younger work is still in its normal processing. */
const OVERDUE_AFTER_MS = MINUTE_MS;

export const readHealth: Run<typeof contract> = keepAnswers(HEALTH_KEPT_MS, check);

async function check(ctx: Context): Promise<Result<typeof contract>> {
  const { settings } = ctx;
  const inspections = await Promise.all(ctx.databases.map((db, home) => inspect(ctx, db, home)));
  const work = inspections.filter((inspection) => inspection !== null);
  const unavailable = inspections.flatMap((inspection, home) => (inspection === null ? [getBindingName(home)] : []));
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  return {
    status: unavailable.length === 0 ? "ok" : "degraded",
    provider: settings.provider,
    version: settings.version,
    mail: ctx.mail !== null,
    publishes: networks.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
    warnings: inspections.flatMap((inspection, home) => buildWarnings(inspection?.bytes ?? null, getBindingName(home))),
    unavailable_databases: unavailable,
  };
}

const getBindingName = (home: number) => (home === 0 ? "DB" : `DB_${home}`);

/**
 * null: the database does not answer, or not in time. Throws for the accounts database: without it no request can be
 * served.
 */
async function inspect(ctx: Context, db: Database, home: number) {
  try {
    return await inTime(ctx.pause, ANSWER_MAX_MS, overdueWork(db, { graceMs: OVERDUE_AFTER_MS, sendTimeoutsMs }));
  } catch (error) {
    if (home === 0) throw error;
    log("error", "health_unreadable", { operation: `database ${home}`, error: errorText(error) });
    return null;
  }
}

/** The warning of a database that is filling up. */
function buildWarnings(bytes: number | null, binding: string): Result<typeof contract>["warnings"] {
  const fraction = (bytes ?? 0) / DATABASE_BYTES_MAX;
  if (fraction < DATABASE_FILLS_AT) return [];
  const message = `The database ${binding} is ${Math.floor(fraction * 100)} % full; full, it takes no posts.`;
  return [{ code: "database_fills", message }];
}
