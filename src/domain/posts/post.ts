export const POST_STATUSES = [
  "draft",
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

/** Whether a post has files on any channel. */
export function usesFiles({ media, overrides }: { media: unknown[]; overrides: Record<string, { media?: unknown }> }) {
  return [media, ...Object.values(overrides).map((own) => own.media)].some(
    (files) => Array.isArray(files) && files.length > 0,
  );
}
