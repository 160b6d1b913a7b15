// The posts that the calendar shows.
import { useQueryClient } from "@tanstack/react-query";
import { useRead } from "../reads.ts";
import { useSession } from "../session.tsx";
import type { Post } from "../types.ts";

export const STATUSES = [
  "scheduled",
  "awaiting_approval",
  "draft",
  "published",
  "partially_published",
  "failed",
  "cancelled",
] as const;
type Status = (typeof STATUSES)[number];

const EVERY_MS = 20_000;
/** The update time of an unfinished list. It marks the list as stale, so that the next view reads the posts again. */
const OLD = 1;

/** Whether all posts have been read. */
export const isWhole = (posts: { data?: Post[]; isPlaceholderData: boolean; dataUpdatedAt: number }): boolean =>
  posts.data !== undefined && !posts.isPlaceholderData && posts.dataUpdatedAt > OLD;

/**
 * All posts from one day until before another, page by page, drafts with a date included. Pages already read are shown
 * while the rest loads.
 */
export function useCalendarPosts(days: { from: string; to: string }, filter: { status?: string }) {
  const { workspace } = useSession();
  const queries = useQueryClient();
  const key = ["posts", "calendar", days, filter];
  return useRead(
    key,
    async (client, signal) => {
      const whole = [workspace.id, ...key];
      const isFirst = queries.getQueryState(whole)?.data === undefined;
      const posts: Post[] = [];
      const readAll = async (status?: Status): Promise<void> => {
        for (let cursor: string | undefined; ; ) {
          const page = { ...days, order: "due" as const, limit: "200", cursor };
          const { body } = await client.call("posts.list", { query: { ...filter, status, ...page }, signal });
          posts.push(...body.posts);
          if (body.next === null) return;
          // Drafts come first, so that none is inserted between posts that are already shown.
          if (status === undefined) await drafts;
          if (isFirst && !signal.aborted) queries.setQueryData(whole, [...posts], { updatedAt: OLD });
          cursor = body.next;
        }
      };
      const status = STATUSES.find((name) => name === filter.status);
      // A list without a status has all posts but the drafts.
      const drafts = status === undefined ? readAll("draft") : null;
      await Promise.all([readAll(status), drafts]);
      return posts;
    },
    { every: EVERY_MS, keep: true },
  );
}
