// Owners are told a week and a day before a credential ends that only a person can renew.
import type { Context } from "../context.ts";
import { nextExpiryWarning } from "../domain/channel.ts";
import { channelsToWarn, noteWarned } from "../store/channels.ts";
import { channelEvent } from "./channel-event.ts";

const CHANNELS_MAX = 500;

/** Writes the events that are due. One that comes after the end says nothing any more. */
export async function warnOfExpiry(ctx: Context): Promise<void> {
  for (const db of ctx.databases) {
    for (const channel of await channelsToWarn(db, CHANNELS_MAX)) {
      const { tokenExpiresAt } = channel;
      const isOver = tokenExpiresAt === null || tokenExpiresAt <= ctx.now();
      const event = isOver ? null : channelEvent(ctx, channel, "channel.token_expiring", null);
      const toHear = await noteWarned(db, channel, event, nextExpiryWarning(tokenExpiresAt, ctx.now()));
      if (toHear.length > 0) await ctx.webhooks.wake(channel.workspaceId, toHear);
    }
  }
}
