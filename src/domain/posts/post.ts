import type { JsonObject } from "../json.ts";
import { findCaptions } from "./captions.ts";
import { getThread, type ThreadPart } from "./thread.ts";
import { findThumbnail } from "./thumbnail.ts";

export const POST_STATUSES = [
  "draft",
  "awaiting_approval",
  "scheduled",
  "queued",
  "publishing",
  "published",
  "partially_published",
  "failed",
  "cancelled",
] as const;
export type PostStatus = (typeof POST_STATUSES)[number];

const FINISHED: ReadonlySet<PostStatus> = new Set(["published", "partially_published", "failed", "cancelled"]);

export function isFinished(status: PostStatus): boolean {
  return FINISHED.has(status);
}

interface WithFiles {
  media: string[];
  overrides: Record<string, JsonObject>;
  thread: ThreadPart[] | null;
}

/** Whether a post has files on any channel, in any part. */
export function usesFiles(post: WithFiles): boolean {
  const { media, overrides, thread } = post;
  const threadParts = [thread ?? [], ...Object.keys(overrides).map((channel) => getThread(post, channel))].flat();
  const lists = [
    media,
    ...Object.values(overrides).map((override) => override.media),
    ...threadParts.map((threadPart) => threadPart.media),
  ];
  return (
    lists.some((files) => Array.isArray(files) && files.length > 0) ||
    Object.values(overrides).some((override) => findThumbnail(override) !== null || findCaptions(override).length > 0)
  );
}
