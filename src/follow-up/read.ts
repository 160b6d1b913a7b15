// Reads the due follow-up of a delivery. A follow-up whose rows no release has written is logged and held, so that it holds up
// no other follow-up of its channel.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { HOUR_MS } from "../domain/limits.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { DeliveryKey } from "../store/deliveries/delivery-key.ts";
import { type FollowUp, putOffFollowUps, readFollowUp } from "../store/deliveries/follow-ups.ts";

/** How long a follow-up that cannot be read is held before it is read again. */
const HELD_MS = HOUR_MS;

/** Returns null if nothing is due, or if it cannot be read. */
export async function readOrHold(ctx: Context, key: DeliveryKey): Promise<FollowUp | null> {
  const { workspaceId, postId, channelId } = key;
  const db = ctx.databaseOf(workspaceId);
  const read = await untilKnown(ctx, () => readFollowUp(db, key));
  if (read === null || "delivery" in read) return read;
  const { reason, now } = read;
  log("error", "follow_up_unreadable", { workspace: workspaceId, post: postId, channel: channelId, error: reason });
  await untilKnown(ctx, () => putOffFollowUps(db, workspaceId, channelId, [postId], now + HELD_MS, now));
  return null;
}
