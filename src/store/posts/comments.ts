// Comments on posts. A trigger deletes them with their post.
import { and, desc, eq, lt, type SQL, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom } from "../db/db.ts";
import { comments, notices, posts } from "../db/schema.ts";

export type CommentRow = typeof comments.$inferSelect;

const readPage = (db: Database, condition: SQL | undefined, { limit, before }: Page) =>
  db
    .select()
    .from(comments)
    .where(and(condition, before === null ? undefined : lt(comments.id, before)))
    .orderBy(desc(comments.id))
    .limit(limit);

interface Page {
  limit: number;
  before: string | null;
}

/** A page of the comments on a post, newest first, below the id `before`. */
export const listComments = async (db: Database, workspaceId: string, postId: string, page: Page) =>
  readPage(db, and(eq(comments.workspaceId, workspaceId), eq(comments.postId, postId)), page);

/** A page of all comments of a workspace, newest first, below the id `before`. */
export const allComments = async (db: Database, workspaceId: string, page: Page) =>
  readPage(db, eq(comments.workspaceId, workspaceId), page);

/** The newest comments of people without an account on some posts, at most `limit` of them. */
export const visitorComments = async (db: Database, workspaceId: string, postIds: string[], limit: number) =>
  readPage(
    db,
    and(
      eq(comments.workspaceId, workspaceId),
      sql`${comments.postId} IN (SELECT value FROM json_each(${JSON.stringify(postIds)}))`,
      sql`${comments.author} ->> '$.kind' = 'reviewer'`,
    ),
    { limit, before: null },
  );

/**
 * Stores a comment if its post exists and has fewer than `max` comments. Returns undefined otherwise. `isNotified`: members who
 * are mentioned are to be mailed.
 */
export async function insertComment(
  db: Database,
  row: CommentRow,
  max: number,
  isNotified: boolean,
): Promise<CommentRow | undefined> {
  const { workspaceId, id, postId, createdAt } = row;
  const count = sql`(SELECT COUNT(*) FROM ${comments} WHERE ${comments.workspaceId} = ${workspaceId}
    AND ${comments.postId} = ${postId})`;
  const isStored = sql`EXISTS (SELECT 1 FROM ${comments} WHERE ${comments.workspaceId} = ${workspaceId}
    AND ${comments.id} = ${id})`;
  const { rows } = await batch(db, {
    rows: insertFrom(
      db,
      comments,
      row,
      sql`FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId} AND ${count} < ${max}`,
    ).returning(),
    noticed: insertFrom(
      db,
      notices,
      {
        workspaceId,
        kind: "mentioned",
        subject: id,
        eventSeq: 0,
        createdAt,
        nextAt: createdAt,
        attempts: 0,
        mailed: [],
      },
      sql`WHERE ${isNotified ? 1 : 0} AND ${isStored}`,
    ).onConflictDoNothing(),
  });
  return rows[0];
}

/** The comment of a notice with its post's text; undefined: it was deleted. */
export async function readCommentOfNotice(
  db: Database,
  { workspaceId, subject }: { workspaceId: string; subject: string },
) {
  const [row] = await db
    .select({ text: comments.text, author: comments.author, postId: comments.postId, postText: posts.text })
    .from(comments)
    .innerJoin(posts, and(eq(posts.workspaceId, comments.workspaceId), eq(posts.id, comments.postId)))
    .where(and(eq(comments.workspaceId, workspaceId), eq(comments.id, subject)));
  return row;
}
