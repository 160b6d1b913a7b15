// Reads the delivery that a caller names by its post and channel, and the channel in a usable state.
import type { Context } from "../../context.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { getPost, type MeasuredDelivery, type PostWithDeliveries } from "../../store/posts/posts.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { within } from "../reach.ts";
import { refuseUnusable } from "./check.ts";

export interface DeliveryParams {
  /** The id of the post. */
  id: string;
  channel: string;
}

/** A delivery and its post. */
export interface OneDelivery {
  row: MeasuredDelivery;
  post: PostWithDeliveries["post"];
}

/** The current row of the delivery, with its post; undefined if the delivery does not exist (any more). */
export async function findDelivery(
  ctx: Context,
  caller: WorkspaceCaller,
  { id, channel }: DeliveryParams,
): Promise<OneDelivery | undefined> {
  const { workspaceId } = caller;
  const storedPost = within(caller, await getPost(ctx.databaseOf(workspaceId), workspaceId, id));
  const row = storedPost?.deliveries.find(({ channelId }) => channelId === channel);
  return storedPost === undefined || row === undefined ? undefined : { row, post: storedPost.post };
}

/** Like `findDelivery`. Throws `not_found`. */
export async function getDelivery(ctx: Context, caller: WorkspaceCaller, params: DeliveryParams): Promise<OneDelivery> {
  const delivery = await findDelivery(ctx, caller, params);
  if (delivery === undefined) throw refuseNotFound("delivery");
  return delivery;
}

/** Returns the channel if it can be used. Throws `channel_not_connected` or `channel_needs_reconnect`. */
export async function usableChannel(ctx: Context, workspaceId: string, channelId: string) {
  const [channel] = await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, [channelId]);
  if (channel === undefined) throw refuse("channel_not_connected", { message: "The channel was disconnected." });
  refuseUnusable(channel, ctx.now());
  return channel;
}
