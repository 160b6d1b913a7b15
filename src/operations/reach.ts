// The channels that a caller may know of and use. A key can be limited to some: for it there are no others, and no posts that
// go to others.
import type { Caller, Reviewer } from "../context.ts";
import type { PostWithDeliveries } from "../store/posts/posts.ts";

/** The ids of them; null: all of the workspace. */
export const channelsOf = (caller: Caller | Reviewer): readonly string[] | null =>
  caller.kind === "key" ? caller.channels : null;

export function reachesChannel(caller: Caller | Reviewer, channel: string | null): boolean {
  const only = channelsOf(caller);
  return only === null || (channel !== null && only.includes(channel));
}

/** Whether there is such a post for a caller: none of its channels is beyond their reach. */
export function reachesPost(caller: Caller | Reviewer, { post, deliveries }: PostWithDeliveries): boolean {
  if (channelsOf(caller) === null) return true;
  const named = [...post.channels, ...deliveries.map(({ channelId }) => channelId)];
  return named.every((channel) => reachesChannel(caller, channel));
}

/** The post, if there is one for the caller. */
export function within(
  caller: Caller | Reviewer,
  found: PostWithDeliveries | undefined,
): PostWithDeliveries | undefined {
  return found !== undefined && reachesPost(caller, found) ? found : undefined;
}
