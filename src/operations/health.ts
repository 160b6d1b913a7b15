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

/** The last answer of each deployment, or the look that is under way for it, and since when (epoch milliseconds). */
const lastAnswers = new WeakMap<Context["settings"], { at: number; body: Promise<Result<typeof contract>> }>();

/** Anybody may ask, as often as they like: the database is read once in a while, however many ask at once. A refusal is not kept. */
export const readHealth: Run<typeof contract> = async (ctx) => {
  const { settings } = ctx;
  const last = lastAnswers.get(settings);
  if (last !== undefined && ctx.now() - last.at < HEALTH_KEPT_MS) return ok(await last.body);
  const asked = { at: ctx.now(), body: look(ctx) };
  lastAnswers.set(settings, asked);
  const settled = asked.body.then(
    () => {
      asked.at = ctx.now();
    },
    () => {
      if (lastAnswers.get(settings) === asked) lastAnswers.delete(settings);
    },
  );
  // Others wait for it too: it goes on when the first request is gone.
  ctx.later(settled);
  return ok(await asked.body);
};

async function look(ctx: Context): Promise<Result<typeof contract>> {
  const { settings } = ctx;
  const work = await Promise.all(ctx.databases.map((db) => overdueWork(db, OVERDUE_AFTER_MS))).catch((error) => {
    log("error", "health_unreadable", { error: errorText(error) });
    throw refuse("database_unavailable", { headers: { "Cache-Control": "no-store" } });
  });
  const overdue = work.reduce((sum, { overdue }) => sum + overdue, 0);
  const oldestMs = Math.max(0, ...work.map(({ oldestMs }) => oldestMs));
  return {
    status: "ok",
    provider: settings.provider,
    version: settings.version,
    publishes: networks.map(({ rule }) => rule.platform).filter((name) => publishes(ctx, name) !== "not_configured"),
    scheduler: { overdue, oldest_overdue_seconds: Math.round(oldestMs / 1000) },
  };
}
