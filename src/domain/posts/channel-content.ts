// What of a post goes out on one channel: the post's own text and files, or the channel's. Its thread is `threadOf`.
import type { JsonObject } from "../json.ts";

export interface ChannelContent {
  text: string;
  /** Ids of files, in publish order. */
  media: string[];
  /** The network's own. */
  options: JsonObject;
}

export function contentFor(
  post: { text: string; media: string[]; overrides: Record<string, JsonObject> },
  channelId: string,
): ChannelContent {
  const { text, media, thread: _, ...options } = post.overrides[channelId] ?? {};
  return {
    text: typeof text === "string" ? text : post.text,
    media: Array.isArray(media) ? media.map(String) : post.media,
    options,
  };
}
