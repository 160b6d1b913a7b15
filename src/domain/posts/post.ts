import type { JsonObject } from "../json.ts";
import { type ThreadPart, threadOf } from "./thread.ts";
import { thumbnailOf } from "./thumbnail.ts";

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
  const parts = [thread ?? [], ...Object.keys(overrides).map((channel) => threadOf(post, channel))].flat();
  const lists = [media, ...Object.values(overrides).map((own) => own.media), ...parts.map((part) => part.media)];
  return (
    lists.some((files) => Array.isArray(files) && files.length > 0) ||
    Object.values(overrides).some((own) => thumbnailOf(own) !== null)
  );
}
