// One object counts the tries of one account or one address: exact, however many come at once.
import { DurableObject } from "cloudflare:workers";
import { DAY_MS } from "../domain/limits.ts";
import { NO_TRIES, RATE_LIMITS, type RateLimitName, type Tries, takeTry } from "../domain/rate-limit.ts";
import type { CounterRpc, Env } from "../env.ts";

export class Counter extends DurableObject<Env> implements CounterRpc {
  /** Counts tries against a limit, one by default. Returns the seconds to wait, 0 when they are allowed. */
  async take(limit: RateLimitName, count = 1): Promise<number> {
    const { kv } = this.ctx.storage;
    const { tries, waitMs } = takeTry(RATE_LIMITS[limit], kv.get<Tries>("tries") ?? NO_TRIES, Date.now(), count);
    kv.put("tries", tries);
    // Nothing is counted for longer than a day.
    await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
    return Math.ceil(waitMs / 1000);
  }

  /** Forgets all tries. */
  async clear(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }

  override async alarm(): Promise<void> {
    await this.ctx.storage.deleteAll();
  }
}
