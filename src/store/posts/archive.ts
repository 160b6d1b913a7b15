// Reads and deletes posts that finished long ago, for the archive. A post is read with all its rows. It is deleted only if it
// has not changed since then, and has no new comment.
import { and, asc, eq, gt, inArray, lt, type SQL, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { nextWorkspaces } from "../db/next-workspaces.ts";
import { comments, deliveries, idempotencyKeys, mediaUses, posts } from "../db/schema.ts";
import type { CommentRow } from "./comments.ts";
import { bytesListed } from "./listed-bytes.ts";
import { type PostWithDeliveries, selectPosts, withDeliveries } from "./posts.ts";

/**
 * A condition on a row of `posts`: the post finished before an instant (epoch milliseconds), and its deliveries have no
 * scheduled work left.
 */
const isOver = (
  before: number,
): SQL => sql`(${posts.status} NOT IN ('draft', 'scheduled') AND ${posts.finishedAt} <= ${before}
  AND ${posts.repeatState} IS NOT 'active'
  AND NOT EXISTS (SELECT 1 FROM ${deliveries} AS busy WHERE busy.workspace_id = ${posts.workspaceId}
    AND busy.post_id = ${posts.id} AND (busy.next_at IS NOT NULL OR busy.check_at IS NOT NULL)))`;

/**
 * Searches the next `limit` workspaces after `after` for one that has a post whose id sorts before `beforeId`. Returns the
 * first such workspace, otherwise the last one searched; null if there are no more workspaces.
 */
export async function workspaceWithOldPosts(
  db: Database,
  after: string,
  beforeId: string,
  limit: number,
): Promise<{ workspaceId: string; hasOld: boolean } | null> {
  const hasOld = sql`EXISTS (SELECT 1 FROM ${posts} AS old WHERE old.workspace_id = one.id AND old.id < ${beforeId})`;
  const rows = await db.all<{ id: string | null; old: number }>(
    sql`SELECT one.id, ${hasOld} AS old FROM ${nextWorkspaces(posts, after, limit)} AS one`,
  );
  const row = rows.find(({ old }) => old === 1) ?? rows.at(-1);
  return row === undefined || row.id === null ? null : { workspaceId: row.id, hasOld: row.old === 1 };
}

/** A post with everything that is deleted with it and belongs in the archive. Comments are oldest first. */
export interface OldPost extends PostWithDeliveries {
  comments: CommentRow[];
}

const commentsOfPost = sql`${comments} WHERE ${comments.workspaceId} = ${posts.workspaceId} AND ${comments.postId} = ${posts.id}`;
/** The approximate size of a post with its comments. */
const bytesArchived = sql<number>`(${bytesListed}
  + (SELECT COALESCE(SUM(octet_length(${comments.text}) + 300), 0) FROM ${commentsOfPost}))`;

/** The facts of a post that decide whether it is read. */
export interface LookedAtPost {
  id: string;
  isOver: boolean;
  /** The approximate size of the post. */
  bytes: number;
}

/** The next `limit` posts of a workspace after `after` whose ids sort before `beforeId`, in order. */
export async function lookAtPosts(
  db: Database,
  workspaceId: string,
  { after, beforeId, before, limit }: { after: string; beforeId: string; before: number; limit: number },
): Promise<LookedAtPost[]> {
  const rows = await db
    .select({ id: posts.id, isOver: sql<number>`${isOver(before)}`, bytes: bytesArchived })
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), gt(posts.id, after), lt(posts.id, beforeId)))
    .orderBy(asc(posts.id))
    .limit(limit);
  return rows.map((row) => ({ ...row, isOver: row.isOver === 1 }));
}

/** Posts of a workspace, with all their rows. A post that has scheduled work again is left out. */
export async function readOldPosts(
  db: Database,
  workspaceId: string,
  ids: string[],
  before: number,
): Promise<OldPost[]> {
  const list = toIdList(ids);
  const { rows, commentRows } = await batch(db, {
    rows: selectPosts(db, and(eq(posts.workspaceId, workspaceId), inArray(posts.id, list), isOver(before))).orderBy(
      asc(posts.id),
    ),
    commentRows: db
      .select()
      .from(comments)
      .where(and(eq(comments.workspaceId, workspaceId), inArray(comments.postId, list)))
      .orderBy(asc(comments.id)),
  });
  const byPost = Map.groupBy(commentRows, ({ postId }) => postId);
  return rows.map((row) => {
    const post = withDeliveries(row);
    return { ...post, comments: byPost.get(post.post.id) ?? [] };
  });
}

/** All ids in one JSON parameter, because D1 allows at most a hundred parameters. */
const toIdList = (ids: string[]) => sql`(SELECT value FROM json_each(${JSON.stringify(ids)}))`;

/**
 * Deletes posts with all their rows. If any of the posts has changed or been commented on since it was read, deletes none of them. The counts of
 * these posts stay. Returns whether this call deleted the posts.
 */
export async function deleteOldPosts(
  db: Database,
  workspaceId: string,
  old: OldPost[],
  before: number,
): Promise<boolean> {
  const asRead = JSON.stringify(
    old.map(({ post, deliveries: postDeliveries, comments: postComments }) => [
      post.id,
      post.revision,
      post.updatedAt,
      sumOfVersions(postDeliveries),
      postComments.length,
    ]),
  );
  const ids = sql`(SELECT value ->> 0 FROM json_each(${asRead}))`;
  const unchanged = sql`(SELECT COUNT(*) FROM json_each(${asRead}) AS one JOIN ${posts}
    ON ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = one.value ->> 0
    WHERE ${posts.revision} = one.value ->> 1 AND ${posts.updatedAt} = one.value ->> 2 AND ${isOver(before)}
      AND one.value ->> 3 = (SELECT COALESCE(SUM(now.version), 0) FROM ${deliveries} AS now
        WHERE now.workspace_id = ${workspaceId} AND now.post_id = ${posts.id})
      AND one.value ->> 4 = (SELECT COUNT(*) FROM ${commentsOfPost})) = ${old.length}`;
  const { gone } = await batch(db, {
    uses: db
      .delete(mediaUses)
      .where(and(eq(mediaUses.workspaceId, workspaceId), inArray(mediaUses.postId, ids), unchanged)),
    keys: db
      .delete(idempotencyKeys)
      .where(
        and(
          eq(idempotencyKeys.workspaceId, workspaceId),
          inArray(
            idempotencyKeys.key,
            sql`(SELECT kept.idempotency_key FROM ${posts} AS kept WHERE kept.workspace_id = ${workspaceId} AND kept.id IN ${ids})`,
          ),
          inArray(idempotencyKeys.postId, ids),
          unchanged,
        ),
      ),
    // The deliveries, measurements and comments of these posts are deleted with them.
    gone: db
      .delete(posts)
      .where(and(eq(posts.workspaceId, workspaceId), inArray(posts.id, ids), unchanged))
      .returning({ id: posts.id }),
  });
  return gone.length > 0;
}

const sumOfVersions = (postDeliveries: PostWithDeliveries["deliveries"]) =>
  postDeliveries.reduce((sum, { version }) => sum + version, 0);
