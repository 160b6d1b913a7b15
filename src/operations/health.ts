import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import type { readHealth as contract } from "../contract/health.ts";
import type { Result } from "../contract/operation.ts";
import { HEALTH_KEPT_MS, MINUTE_MS } from "../domain/limits.ts";
import { refuse } from "../domain/refusal.ts";
import { networks } from "../networks/index.ts";
import { overdueWork } from "../store/deliveries/overdue.ts";
import { publishes } from "./platforms/publishes.ts";
import { ok, type Run } from "./run.ts";

/** Younger work is on its ordinary way. */
const OVERDUE_AFTER_MS = MINUTE_MS;

/** The last answer of each deployment, and when it was given (epoch milliseconds). */
const lastAnswers = new WeakMap<Context["settings"], { at: number; body: Result<typeof contract> }>();

/** Anybody may ask, as often as they like: the database is read once in a while. A refusal is not kept. */
export const readHealth: Run<typeof contract> = async (ctx) => {
  const { settings } = ctx;
  const last = lastAnswers.get(settings);
  if (last !== undefined && ctx.now() - last.at < HEALTH_KEPT_MS) return ok(last.body);
  const work = await Promise.all(ctx.databases.map((db) => overdueWork(db, OVERDUE_AFTER_MS))).catch((error) => {
    log("error", "health_unreadable", { error: errorText(error) });
    throw refuse("database_unavailable", { headers: { "Cache-Control": "no-store" } });
  });
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  const body: Result<typeof contract> = {
    status: "ok",
    provider: settings.provider,
    version: settings.version,
    publishes: networks.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
  };
  lastAnswers.set(settings, { at: ctx.now(), body });
  return ok(body);
};
