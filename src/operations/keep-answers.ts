// Caches answers to public, unlimited requests: the databases are read once in a while, however many callers ask.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { dailyLimitRefusal } from "../domain/daily-limit.ts";
import { databaseRefusal } from "../domain/database-fault.ts";
import { refuse } from "../domain/refusal.ts";
import type { Reply } from "./run.ts";
import { ok } from "./run.ts";

/**
 * Caches the answer of `read` for `keptMs`, separately for each deployment. An error of `read` becomes a refusal (the
 * database is not available) and is not cached.
 */
export function keepAnswers<Body>(
  keptMs: number,
  read: (ctx: Context) => Promise<Body>,
): (ctx: Context) => Promise<Reply<Body>> {
  /** The last answer or the read in progress, and when it began (epoch milliseconds). */
  const lastAnswers = new WeakMap<Context["settings"], { at: number; body: Promise<Body> }>();
  return async (ctx) => {
    const { settings } = ctx;
    const last = lastAnswers.get(settings);
    if (last !== undefined && ctx.now() - last.at < keptMs) return ok(await last.body);
    const answer = { at: ctx.now(), body: read(ctx).catch((error) => refuseUnavailable(error, ctx.now())) };
    lastAnswers.set(settings, answer);
    const kept = answer.body.then(
      () => {
        answer.at = ctx.now();
      },
      () => {
        if (lastAnswers.get(settings) === answer) lastAnswers.delete(settings);
      },
    );
    // Other requests wait for this read too, so it continues after the first request has ended.
    ctx.later(kept);
    return ok(await answer.body);
  };
}

function refuseUnavailable(error: unknown, now: number): never {
  log("error", "health_unreadable", { error: errorText(error) });
  const refusal = databaseRefusal(error, now) ?? dailyLimitRefusal(error, now) ?? refuse("database_unavailable");
  const { headers, ...detail } = refusal.detail;
  throw refuse(refusal.code, { ...detail, headers: { ...headers, "Cache-Control": "no-store" } });
}
