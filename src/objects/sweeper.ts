// A Durable Object that sweeps every minute (-> sweep.ts). The cron trigger only makes sure that it keeps running.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { isOverdue, toAlarmTime } from "../domain/alarm.ts";
import { SWEEP_EVERY_MS } from "../domain/limits.ts";
import type { Env, SweeperRpc } from "../env.ts";
import { LimitedWork } from "../limited-work.ts";
import { furtherHomes, type SweepCursors, sweepAccounts, sweepDatabase, tellHome } from "../maintenance/sweep.ts";
import { REPEATING } from "../operations/posts/repeat-posts.ts";

/**
 * How long the alarm waits for a sweep. After that, the sweep of a hanging database continues while the other databases are
 * swept again.
 */
const WAIT_MAX_MS = 45_000;

export class Sweeper extends DurableObject<Env> implements SweeperRpc {
  readonly #underWay = new Set<string>();
  readonly #work = new LimitedWork(this.env, (work) => this.ctx.waitUntil(work));

  /** Starts the sweeper if it is not running or its alarm is overdue. */
  async ensure(): Promise<void> {
    const alarmAt = await this.ctx.storage.getAlarm();
    const now = Date.now();
    if (alarmAt === null || isOverdue(alarmAt, now)) await this.ctx.storage.setAlarm(toAlarmTime(now, now));
  }

  /** Never throws: if the alarm cannot be set, the cron trigger sets it a minute later. */
  override async alarm(): Promise<void> {
    try {
      const isDone = await this.#work.goOn(() => this.#sweep());
      const now = Date.now();
      await this.ctx.storage.setAlarm(toAlarmTime(now + (isDone ? SWEEP_EVERY_MS : 0), now));
    } catch (error) {
      log("error", "sweep_failed", { operation: "set the alarm", error: errorText(error) });
    }
  }

  /** Never throws. */
  async #sweep(): Promise<void> {
    const swept = new AbortController();
    try {
      const ctx = this.#work.compose();
      await Promise.race([this.#sweepAll(ctx), ctx.pause(WAIT_MAX_MS, swept.signal)]);
    } catch (error) {
      log("error", "sweep_failed", { error: errorText(error) });
    } finally {
      swept.abort();
    }
  }

  async #sweepAll(ctx: Context): Promise<void> {
    const { kv } = this.ctx.storage;
    await Promise.all([
      this.#once("accounts", () => sweepAccounts(ctx)),
      ...furtherHomes(ctx).map((home) => this.#once(`tell database ${home}`, () => tellHome(ctx, home))),
      ...ctx.databases.map((db, i) =>
        this.#once(`database ${i}`, async () => {
          const cursors = kv.get<SweepCursors>(`cursors:${i}`) ?? {};
          await sweepDatabase(ctx, db, cursors, REPEATING);
          kv.put(`cursors:${i}`, cursors);
        }),
      ),
    ]);
  }

  /** Runs `work`, unless an earlier sweep is still running it. */
  async #once(operation: string, work: () => Promise<void>): Promise<void> {
    if (this.#underWay.has(operation)) return log("error", "sweep_hangs", { operation });
    this.#underWay.add(operation);
    try {
      await work();
    } finally {
      this.#underWay.delete(operation);
    }
  }
}
