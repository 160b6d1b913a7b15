// The delivery that a caller names by its post and channel, and the channel as it must be for anything to be done with it.
import type { Context } from "../../context.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { getPost, type MeasuredDelivery, type PostWithDeliveries } from "../../store/posts/posts.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { within } from "../reach.ts";
import { refuseUnusable } from "./check.ts";

export interface DeliveryParams {
  /** Of the post. */
  id: string;
  channel: string;
}

/** A delivery, and the post that it is of. */
export interface OneDelivery {
  row: MeasuredDelivery;
  post: PostWithDeliveries["post"];
}

/** The delivery as its row says now; undefined: there is none, or none any more. */
export async function findDelivery(
  ctx: Context,
  caller: WorkspaceCaller,
  { id, channel }: DeliveryParams,
): Promise<OneDelivery | undefined> {
  const { workspaceId } = caller;
  const found = within(caller, await getPost(ctx.databaseOf(workspaceId), workspaceId, id));
  const row = found?.deliveries.find(({ channelId }) => channelId === channel);
  return found === undefined || row === undefined ? undefined : { row, post: found.post };
}

/** The same. Throws `not_found`. */
export async function getDelivery(ctx: Context, caller: WorkspaceCaller, params: DeliveryParams): Promise<OneDelivery> {
  const found = await findDelivery(ctx, caller, params);
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
