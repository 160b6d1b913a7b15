// The posts that a portal shows: those of some channels, or those with some labels.
import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import type { PortalRow } from "../../store/posts/portals.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";

export type Scope = Pick<PortalRow, "channels" | "labels">;
interface Requested {
  channels?: string[] | null | undefined;
  labels?: string[] | null | undefined;
}

/**
 * The scope that a caller sets; null: they set none. Throws `invalid_field` if they set both, and `unknown_channel`.
 */
export async function readScope(
  ctx: Context,
  workspaceId: string,
  { channels = null, labels = null }: Requested,
): Promise<Scope | null> {
  if (channels === null && labels === null) return null;
  if (channels === null) return { channels, labels: labels && [...new Set(labels)] };
  if (labels !== null) {
    throw refuse("invalid_field", { field: "/labels", message: "`labels` cannot be combined with `channels`." });
  }
  const knownIds = new Set(
    (await channelsByIds(ctx.databaseOf(workspaceId), workspaceId, channels)).map(({ id }) => id),
  );
  const unknown = channels.findIndex((id) => !knownIds.has(id));
  if (unknown !== -1) throw refuse("unknown_channel", { field: `/channels/${unknown}` });
  return { channels: [...new Set(channels)], labels };
}

/** Whether a portal shows a post. A post that also goes to another channel belongs to another client, too. */
export function isInScope({ channels, labels }: Scope, { post }: Pick<PostWithDeliveries, "post">): boolean {
  return channels === null
    ? post.labels.some((label) => labels?.includes(label) === true)
    : post.channels.every((channel) => channels.includes(channel));
}
