// Sweeps every minute (-> sweep.ts). The cron trigger only makes sure that it lives.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import { compose } from "../compose.ts";
import type { Env, SweeperRpc } from "../env.ts";
import { type LookedAhead, sendPreflights } from "./preflight.ts";
import { type ResealCursor, resealPage } from "./reseal.ts";
import { sweepStaging } from "./staging.ts";
import { sweep } from "./sweep.ts";
import { warnOfExpiry } from "./warn-expiry.ts";

const SWEEP_EVERY_MS = 60_000;

/** The name of the one sweeper. */
export const SWEEPER = "sweeper";

export class Sweeper extends DurableObject<Env> implements SweeperRpc {
  /** Starts the sweeper if it does not run. */
  async ensure(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now());
  }

  override async alarm(): Promise<void> {
    try {
      const ctx = compose(this.env, (work) => this.ctx.waitUntil(work));
      const found = await sweep(ctx);
      if (found > 0) log("warn", "overdue_work_found", { count: found });
      const { kv } = this.ctx.storage;
      kv.put("reseal_place", await resealPage(ctx, kv.get<ResealCursor | null>("reseal_place") ?? null));
      await sweepStaging(ctx);
      await warnOfExpiry(ctx);
      kv.put("looked_ahead", await sendPreflights(ctx, kv.get<LookedAhead>("looked_ahead") ?? {}));
    } catch (error) {
      log("error", "sweep_failed", { error: errorText(error) });
    } finally {
      await this.ctx.storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
    }
  }
}
