// One hand on one channel: its due deliveries one after the other (-> deliver.ts), until none is due, the network says
// wait, or the time is up. Then the clock is set for what comes next.
import type { Context } from "../context.ts";
import { base64Url } from "../domain/ids.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { claimNext, releaseChannel } from "../store/claims.ts";
import { deliver } from "./deliver.ts";

/** A queue invocation lives for 15 minutes; a long queue goes on in the next one. */
const WORK_MAX_MS = 5 * MINUTE_MS;

export async function workChannel(ctx: Context, workspaceId: string, channelId: string): Promise<void> {
  const db = ctx.databaseOf(workspaceId);
  const holder = base64Url(ctx.entropy(12));
  const stopAt = ctx.now() + WORK_MAX_MS;
  for (;;) {
    const result = await claimNext(db, workspaceId, channelId, holder);
    if (result.is === "nothing") {
      if (result.nextAt !== null) await ctx.clock.arm(workspaceId, [{ at: result.nextAt, channel: channelId }]);
      return;
    }
    try {
      await deliver(ctx, result.claim, holder);
    } catch (error) {
      // This hand is done with the channel; what it held of the delivery itself runs out by its own lease.
      await releaseChannel(db, workspaceId, channelId, holder).catch(() => {});
      throw error;
    }
    if (ctx.now() > stopAt) {
      await releaseChannel(db, workspaceId, channelId, holder);
      await ctx.queue.send([{ kind: "channel", workspace: workspaceId, channel: channelId }]);
      return;
    }
  }
}
