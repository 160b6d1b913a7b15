// Answers that anybody may ask for, as often as they like: the databases are read once in a while, however many ask at once.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { dailyLimitRefusal } from "../domain/daily-limit.ts";
import { databaseRefusal } from "../domain/database-fault.ts";
import { refuse } from "../domain/refusal.ts";
import type { Reply } from "./run.ts";
import { ok } from "./run.ts";

/**
 * Has the answer of `read` given for `keptMs`, by each deployment for itself. What `read` throws is a refusal: the database is
 * not available. That is not kept.
 */
export function keepAnswers<Body>(
  keptMs: number,
  read: (ctx: Context) => Promise<Body>,
): (ctx: Context) => Promise<Reply<Body>> {
  /** The last answer, or the reading that is under way, and since when (epoch milliseconds). */
  const lastAnswers = new WeakMap<Context["settings"], { at: number; body: Promise<Body> }>();
  return async (ctx) => {
    const { settings } = ctx;
    const last = lastAnswers.get(settings);
    if (last !== undefined && ctx.now() - last.at < keptMs) return ok(await last.body);
    const asked = { at: ctx.now(), body: read(ctx).catch((error) => refuseUnavailable(error, ctx.now())) };
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
}

function refuseUnavailable(error: unknown, now: number): never {
  log("error", "health_unreadable", { error: errorText(error) });
  const refusal = databaseRefusal(error, now) ?? dailyLimitRefusal(error, now) ?? refuse("database_unavailable");
  const { headers, ...detail } = refusal.detail;
  throw refuse(refusal.code, { ...detail, headers: { ...headers, "Cache-Control": "no-store" } });
}
