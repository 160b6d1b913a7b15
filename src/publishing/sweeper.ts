// Looks every minute for work that is due and that nobody holds, whatever forgot it: an alarm, a queue, a process. The
// cron trigger only makes sure that it lives.
import { DurableObject } from "cloudflare:workers";
import { errorText, log } from "../adapters/log.ts";
import { compose } from "../compose.ts";
import type { Context } from "../context.ts";
import type { Env, SweeperRpc } from "../env.ts";
import { workspacesToClear } from "../store/accounts.ts";
import { channelsToRenew } from "../store/channels.ts";
import { overdueChannels } from "../store/overdue.ts";
import { type ResealCursor, resealPage } from "./reseal.ts";
import { sweepStaging } from "./staging.ts";

const SWEEP_EVERY_MS = 60_000;
/** Work that is younger is still on its ordinary way. */
const GRACE_MS = 30_000;
const CHANNELS_MAX = 1_000;
const CLEARANCES_MAX = 100;
const RENEWALS_MAX = 200;

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
    } catch (error) {
      log("error", "sweep_failed", { error: errorText(error) });
    } finally {
      await this.ctx.storage.setAlarm(Date.now() + SWEEP_EVERY_MS);
    }
  }
}

/** Puts every channel with overdue work or a credential to renew, and every erased workspace, back onto the queue. Returns how many channels. */
export async function sweep(ctx: Context): Promise<number> {
  let found = 0;
  for (const db of ctx.databases) {
    const overdue = await overdueChannels(db, GRACE_MS, CHANNELS_MAX);
    found += overdue.length;
    await ctx.queue.send(
      overdue.map(({ workspaceId, channelId }) => ({ kind: "channel", workspace: workspaceId, channel: channelId })),
    );
  }
  for (const db of ctx.databases) {
    const idle = await channelsToRenew(db, RENEWALS_MAX);
    await ctx.queue.send(
      idle.map(({ workspaceId, id }) => ({ kind: "renew_channel", workspace: workspaceId, channel: id })),
    );
  }
  const erased = await workspacesToClear(ctx.accounts, CLEARANCES_MAX);
  await ctx.queue.send(erased.map((workspace) => ({ kind: "clear_workspace", workspace })));
  return found;
}
