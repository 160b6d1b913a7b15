// The content of a stored post that one channel publishes, with the parameters in its links.
import type { Json } from "../json.ts";
import { type ChannelContent, contentFor } from "./channel-content.ts";
import type { LinkTags } from "./link-tags.ts";
import { tagOptions, tagText } from "./tagged-text.ts";
import { getThread, type ThreadPart } from "./thread.ts";

interface Tagged {
  id: string;
  linkTags: LinkTags | null;
}

/** As `contentFor`, with tagged links. */
export function taggedContent(
  post: Tagged & Parameters<typeof contentFor<Json>>[0],
  { channel, platform }: { channel: string; platform: string },
): ChannelContent<Json> {
  const { text, media, options } = contentFor(post, channel);
  const delivery = { channel, platform, post: post.id };
  return { text: tagText(text, post.linkTags, delivery), media, options: tagOptions(options, post.linkTags, delivery) };
}

/** As `getThread`, with tagged links. */
export const taggedThread = (
  post: Tagged & Parameters<typeof getThread>[0],
  { channel, platform }: { channel: string; platform: string },
): ThreadPart[] =>
  getThread(post, channel).map(({ text, media }) => ({
    text: tagText(text, post.linkTags, { channel, platform, post: post.id }),
    media,
  }));
