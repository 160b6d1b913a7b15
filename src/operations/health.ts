import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import type { readHealth as contract } from "../contract/health.ts";
import type { Result } from "../contract/operation.ts";
import { DATABASE_BYTES_MAX, DATABASE_FILLS_AT, HEALTH_KEPT_MS, MINUTE_MS } from "../domain/limits.ts";
import { networks } from "../networks/index.ts";
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
  const asked = await Promise.all(ctx.databases.map((db, home) => inspect(ctx, db, home)));
  const work = asked.filter((one) => one !== null);
  const unavailable = asked.flatMap((one, home) => (one === null ? [bindingOf(home)] : []));
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  return {
    status: unavailable.length === 0 ? "ok" : "degraded",
    provider: settings.provider,
    version: settings.version,
    publishes: networks.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
    warnings: asked.flatMap((one, home) => warningOf(one?.bytes ?? null, bindingOf(home))),
    unavailable_databases: unavailable,
  };
}

const bindingOf = (home: number) => (home === 0 ? "DB" : `DB_${home}`);

/**
 * null: the database does not answer, or not in time. Throws for the accounts database: without it no request can be
 * served.
 */
async function inspect(ctx: Context, db: Database, home: number) {
  try {
    return await inTime(ctx.pause, ANSWER_MAX_MS, overdueWork(db, OVERDUE_AFTER_MS));
  } catch (error) {
    if (home === 0) throw error;
    log("error", "health_unreadable", { operation: `database ${home}`, error: errorText(error) });
    return null;
  }
}

/** The warning of a database that is filling up. */
function warningOf(bytes: number | null, binding: string): Result<typeof contract>["warnings"] {
  const part = (bytes ?? 0) / DATABASE_BYTES_MAX;
  if (part < DATABASE_FILLS_AT) return [];
  const message = `The database ${binding} is ${Math.floor(part * 100)} % full; full, it takes no posts.`;
  return [{ code: "database_fills", message }];
}
