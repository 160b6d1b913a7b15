// Warns owners a week and again a day before a credential expires, if only a user can renew it.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { nextExpiryWarning } from "../domain/channel.ts";
import { channelEvent } from "../domain/event-body.ts";
import type { ChannelRow } from "../store/channels/channels.ts";
import { channelsToWarn, noteWarned } from "../store/channels/credentials.ts";
import type { Database } from "../store/db/db.ts";

const CHANNELS_MAX = 500;

/** Writes the due events. An expired credential produces no more warnings. */
export async function warnOfExpiry(ctx: Context, db: Database): Promise<void> {
  for (const channel of await channelsToWarn(db, CHANNELS_MAX)) {
    try {
      await warn(ctx, db, channel);
    } catch (error) {
      const { workspaceId: workspace, id } = channel;
      log("error", "sweep_failed", { operation: "warn_expiry", workspace, channel: id, error: errorText(error) });
    }
  }
}

async function warn(ctx: Context, db: Database, channel: ChannelRow): Promise<void> {
  const { tokenExpiresAt } = channel;
  const isOver = tokenExpiresAt === null || tokenExpiresAt <= ctx.now();
  const origin = { now: ctx.now(), entropy: ctx.entropy };
  const event = isOver ? null : channelEvent(origin, channel, "channel.token_expiring", null);
  const endpoints = await noteWarned(db, channel, event, nextExpiryWarning(tokenExpiresAt, ctx.now()));
  if (endpoints.length > 0) await ctx.webhooks.wake(channel.workspaceId, endpoints);
}
