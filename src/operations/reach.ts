// The channels that a caller may see and use. A key can be limited to some channels; other channels, and posts to other
// channels, do not exist for it.
import type { Caller, Reviewer } from "../context.ts";
import type { PostWithDeliveries } from "../store/posts/posts.ts";

/** The ids of these channels; null: all channels of the workspace. */
export const getReachableChannels = (caller: Caller | Reviewer): readonly string[] | null =>
  caller.kind === "key" ? caller.channels : null;

export function reachesChannel(caller: Caller | Reviewer, channel: string | null): boolean {
  const only = getReachableChannels(caller);
  return only === null || (channel !== null && only.includes(channel));
}

/** Whether the caller may see a post: all its channels are within their reach. */
export function reachesPost(caller: Caller | Reviewer, { post, deliveries }: PostWithDeliveries): boolean {
  if (getReachableChannels(caller) === null) return true;
  const channelIds = [...post.channels, ...deliveries.map(({ channelId }) => channelId)];
  return channelIds.every((channel) => reachesChannel(caller, channel));
}

/** The post, if the caller may see it. */
export function within(
  caller: Caller | Reviewer,
  storedPost: PostWithDeliveries | undefined,
): PostWithDeliveries | undefined {
  return storedPost !== undefined && reachesPost(caller, storedPost) ? storedPost : undefined;
}
