// The channels that a caller may see and use. A key can be limited to some channels; other channels, and posts to other
// channels, do not exist for it.
import type { Caller, Reviewer } from "../context.ts";
import type { PostWithDeliveries } from "../store/posts/posts.ts";

/** The ids of these channels; null: all channels of the workspace. */
export const channelsOf = (caller: Caller | Reviewer): readonly string[] | null =>
  caller.kind === "key" ? caller.channels : null;

export function reachesChannel(caller: Caller | Reviewer, channel: string | null): boolean {
  const only = channelsOf(caller);
  return only === null || (channel !== null && only.includes(channel));
}

/** Whether the caller may see a post: all its channels are within their reach. */
export function reachesPost(caller: Caller | Reviewer, { post, deliveries }: PostWithDeliveries): boolean {
  if (channelsOf(caller) === null) return true;
  const named = [...post.channels, ...deliveries.map(({ channelId }) => channelId)];
  return named.every((channel) => reachesChannel(caller, channel));
}

/** The post, if the caller may see it. */
export function within(
  caller: Caller | Reviewer,
  found: PostWithDeliveries | undefined,
): PostWithDeliveries | undefined {
  return found !== undefined && reachesPost(caller, found) ? found : undefined;
}
