import type { JsonObject } from "../json.ts";

/** What a draft takes in the database, about: what was written in it, as JSON in UTF-8. */
export function draftBytes(post: {
  text: string;
  media: string[];
  channels: string[];
  overrides: Record<string, JsonObject>;
  labels: string[];
  metadata: Record<string, string>;
}): number {
  const { text, media, channels, overrides, labels, metadata } = post;
  // Labels came later: a draft without any is as large as it was.
  return new TextEncoder().encode(
    JSON.stringify([text, media, channels, overrides, metadata, ...(labels.length === 0 ? [] : [labels])]),
  ).length;
}
