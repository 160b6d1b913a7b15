import type { JsonObject } from "../json.ts";
import type { ThreadPart } from "./thread.ts";

/** What a draft takes in the database, about: what was written in it, as JSON in UTF-8. */
export function draftBytes(post: {
  text: string;
  media: string[];
  channels: string[];
  overrides: Record<string, JsonObject>;
  labels: string[];
  metadata: Record<string, string>;
  thread: ThreadPart[] | null;
}): number {
  const { text, media, channels, overrides, labels, metadata, thread } = post;
  // Labels and parts came later: a draft without any is as large as it was.
  const later = [...(labels.length === 0 ? [] : [labels]), ...(thread === null ? [] : [thread])];
  return new TextEncoder().encode(JSON.stringify([text, media, channels, overrides, metadata, ...later])).length;
}
