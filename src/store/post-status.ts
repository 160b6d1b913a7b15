// A post's status is what its deliveries say: the one place where that is written down.
import { and, eq, sql } from "drizzle-orm";
import type { PostStatus } from "../domain/post.ts";
import { type Database, NOW } from "./db.ts";
import { followPost } from "./media-uses.ts";
import { deliveries, posts } from "./schema.ts";

/**
 * The statements that bring a post's status up to date after any change to its deliveries, and its files' expiry with it.
 * Drafts have none.
 */
export function refreshPostStatus(db: Database, workspaceId: string, postId: string) {
  const ofPost = sql`FROM ${deliveries} WHERE ${deliveries.workspaceId} = ${workspaceId} AND ${deliveries.postId} = ${postId}`;
  const unfinished = sql`${deliveries.nextAt} IS NOT NULL`;
  const out = sql`${deliveries.state} IN ('live', 'removed')`;
  const refreshed = db
    .update(posts)
    .set({
      status: sql`(SELECT CASE
        WHEN SUM(${unfinished}) > 0 THEN CASE WHEN SUM(${deliveries.state} <> 'pending') > 0 THEN 'publishing' ELSE 'scheduled' END
        WHEN SUM(${out}) = COUNT(*) THEN 'published'
        WHEN SUM(${out}) > 0 THEN 'partially_published'
        WHEN SUM(${deliveries.state} = 'cancelled') > 0 THEN 'cancelled'
        ELSE 'failed' END ${ofPost})`,
      publishedAt: sql`COALESCE(${posts.publishedAt}, (SELECT MIN(${deliveries.publishedAt}) ${ofPost}))`,
      finishedAt: sql`(SELECT CASE WHEN SUM(${unfinished}) = 0 THEN COALESCE(${posts.finishedAt}, ${NOW}) END ${ofPost})`,
      updatedAt: NOW,
    })
    .where(
      and(
        eq(posts.workspaceId, workspaceId),
        eq(posts.id, postId),
        sql`${posts.status} <> 'draft'`,
        sql`EXISTS (SELECT 1 ${ofPost})`,
      ),
    );
  return [refreshed, ...followPost(db, workspaceId, postId)] as const;
}

/** The status as callers see it: `scheduled` becomes `queued` when its time has come. */
export const shownStatus = sql<PostStatus>`CASE WHEN ${posts.status} = 'scheduled' AND ${posts.dueAt} <= ${NOW}
  THEN 'queued' ELSE ${posts.status} END`;
