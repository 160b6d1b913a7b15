// The accounts of a post. A post that waits for approval, or a draft, has channels but no deliveries yet.
import type { Channel, Post } from "../types.ts";

export type WithChannels = Pick<Post, "channels"> & { deliveries: { channel: string; platform: string }[] };

/** `known`: the channels of the workspace. */
export function listAccounts(
  { deliveries, channels }: WithChannels,
  known: readonly Pick<Channel, "id" | "platform">[],
): { channel: string; platform: string }[] {
  if (deliveries.length > 0) return deliveries;
  return channels.flatMap((id) => {
    const channel = known.find((candidate) => candidate.id === id);
    return channel === undefined ? [] : [{ channel: id, platform: channel.platform }];
  });
}
