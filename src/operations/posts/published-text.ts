// The text of a stored post as it goes out on one of its channels.
import { getOutgoingText } from "../../domain/posts/outgoing-text.ts";
import { getPoll } from "../../domain/posts/poll.ts";
import { taggedContent } from "../../domain/posts/tagged-content.ts";
import { findNetwork } from "../../networks/index.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";

export function getPublishedText({ post, deliveries }: PostWithDeliveries, channelId: string): string {
  const platform = deliveries.find((delivery) => delivery.channelId === channelId)?.platform ?? "";
  const { text, options } = taggedContent(post, { channel: channelId, platform });
  const rule = findNetwork(platform)?.rule ?? {};
  return getOutgoingText({ text, options, poll: getPoll(post, channelId) }, rule);
}
