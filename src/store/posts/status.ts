// Derives a post's status from its deliveries. This is the only place that does so.
import { and, type SQL, sql } from "drizzle-orm";
import { CARRIED_OUT } from "../../domain/delivery/transitions.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, posts } from "../db/schema.ts";
import { isInState } from "../deliveries/moves.ts";
import { followPosts } from "./media-uses.ts";

/**
 * The statement that updates the status of posts after any change to their deliveries. If a post has files, `followPosts`
 * must come after this statement. `keys`: a select of workspace and post. Drafts are skipped, and unchanged rows are not
 * written.
 */
export function refreshPosts(db: Database, keys: SQL) {
  const unfinished = sql`SUM(${deliveries.nextAt} IS NOT NULL)`;
  const out = sql`SUM(${isInState(CARRIED_OUT)})`;
  // Includes threads that stopped with published parts.
  const partlyOut = sql`SUM(${isInState(CARRIED_OUT)} OR ${deliveries.publishedAt} IS NOT NULL)`;
  const statuses = sql`(SELECT ${deliveries.workspaceId} AS workspace, ${deliveries.postId} AS post,
      CASE
        WHEN ${unfinished} > 0 THEN 'scheduled'
        WHEN ${out} = COUNT(*) THEN 'published'
        WHEN ${partlyOut} > 0 THEN 'partially_published'
        WHEN SUM(${deliveries.state} = 'cancelled') > 0 THEN 'cancelled'
        ELSE 'failed' END AS status,
      ${unfinished} = 0 AS ended
    FROM ${deliveries} WHERE (${deliveries.workspaceId}, ${deliveries.postId}) IN (${keys})
    GROUP BY ${deliveries.workspaceId}, ${deliveries.postId}) AS says`;
  return db
    .update(posts)
    .set({
      status: sql`says.status`,
      finishedAt: sql`CASE WHEN says.ended THEN COALESCE(${posts.finishedAt}, ${NOW}) END`,
      updatedAt: NOW,
    })
    .from(statuses)
    .where(
      and(
        sql`${posts.workspaceId} = says.workspace AND ${posts.id} = says.post AND ${posts.status} <> 'draft'`,
        sql`(${posts.status} <> says.status OR (${posts.finishedAt} IS NOT NULL) <> says.ended)`,
      ),
    );
}

/** The statements that update the status of one post, and the expiry of its files. */
export function refreshPostStatus(db: Database, workspaceId: string, postId: string) {
  const keys = sql`SELECT ${workspaceId}, ${postId}`;
  return [refreshPosts(db, keys), ...followPosts(db, keys)] as const;
}

/** Whether a session has started a delivery of the post. */
const hasStarted = sql`EXISTS (SELECT 1 FROM deliveries AS begun WHERE begun.workspace_id = posts.workspace_id
  AND begun.post_id = posts.id AND begun.started_at IS NOT NULL)`;

/**
 * The status as callers see it: `scheduled` becomes `queued` at its due time, and `publishing` once a delivery has
 * started.
 */
export const shownStatus = sql<PostStatus>`CASE WHEN ${posts.status} <> 'scheduled' OR ${posts.dueAt} > ${NOW}
  THEN ${posts.status} WHEN ${hasStarted} THEN 'publishing' ELSE 'queued' END`;
