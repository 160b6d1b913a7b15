// The delivery that a caller names by its post and channel, and the channel as it must be for anything to be done with it.
import type { Context } from "../../context.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import type { DeliveryRow } from "../../store/deliveries/due.ts";
import { getPost } from "../../store/posts/posts.ts";
import { refuseUnusable } from "./check.ts";

export interface DeliveryParams {
  /** Of the post. */
  id: string;
  channel: string;
}

/** The delivery as its row says now; undefined: there is none, or none any more. */
export async function findDelivery(
  ctx: Context,
  workspaceId: string,
  { id, channel }: DeliveryParams,
): Promise<DeliveryRow | undefined> {
  const found = await getPost(ctx.databaseOf(workspaceId), workspaceId, id);
  return found?.deliveries.find(({ channelId }) => channelId === channel);
}

/** The same. Throws `not_found`. */
export async function getDelivery(ctx: Context, workspaceId: string, params: DeliveryParams): Promise<DeliveryRow> {
  const found = await findDelivery(ctx, workspaceId, params);
  if (found === undefined) throw refuseNotFound("delivery");
  return found;
}

/** The channel. Throws `channel_not_connected` or `channel_needs_reconnect`. */
export async function usableChannel(ctx: Context, workspaceId: string, channelId: string) {
  const [channel] = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, [channelId]);
  if (channel === undefined) throw refuse("channel_not_connected", { message: "The channel was disconnected." });
  refuseUnusable(channel, ctx.now());
  return channel;
}
