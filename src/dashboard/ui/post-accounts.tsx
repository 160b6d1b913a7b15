// The accounts of a post, as avatars in a line.
import { useChannels } from "../reads.ts";
import { ChannelAvatars } from "./channel.tsx";
import { listAccounts, type WithChannels } from "./list-accounts.ts";

export function PostAvatars({ post, shown }: { post: WithChannels; shown?: number }) {
  const known = useChannels().data ?? [];
  return <ChannelAvatars of={listAccounts(post, known)} shown={shown} />;
}
