import type { Context } from "../context.ts";
import type { readHealth as contract } from "../contract/health.ts";
import type { Result } from "../contract/operation.ts";
import { DATABASE_BYTES_MAX, DATABASE_FILLS_AT, HEALTH_KEPT_MS, MINUTE_MS } from "../domain/limits.ts";
import { networks } from "../networks/index.ts";
import { overdueWork } from "../store/deliveries/overdue.ts";
import { keepAnswers } from "./keep-answers.ts";
import { publishes } from "./platforms/publishes.ts";
import type { Run } from "./run.ts";

/** Younger work is on its ordinary way. */
const OVERDUE_AFTER_MS = MINUTE_MS;

export const readHealth: Run<typeof contract> = keepAnswers(HEALTH_KEPT_MS, check);

async function check(ctx: Context): Promise<Result<typeof contract>> {
  const { settings } = ctx;
  const work = await Promise.all(ctx.databases.map((db) => overdueWork(db, OVERDUE_AFTER_MS)));
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  return {
    status: "ok",
    provider: settings.provider,
    version: settings.version,
    publishes: networks.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
    warnings: work.flatMap(({ bytes }, i) => warningOf(bytes, i === 0 ? "DB" : `DB_${i}`)),
  };
}

/** Of a database that fills up. */
function warningOf(bytes: number | null, binding: string): Result<typeof contract>["warnings"] {
  const part = (bytes ?? 0) / DATABASE_BYTES_MAX;
  if (part < DATABASE_FILLS_AT) return [];
  const message = `The database ${binding} is ${Math.floor(part * 100)} % full; full, it takes no posts.`;
  return [{ code: "database_fills", message }];
}
