// Tracks which posts use which files, and with that the expiry of a file's stored copy: seven days after the last of
// these posts has finished. Every change of a post has these statements in its batch.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { STAGING_RETENTION_MS } from "../../domain/limits.ts";
import { type Database, insertFrom } from "../db/db.ts";
import { media, mediaUses, posts } from "../db/schema.ts";

const isUsedByPost = (workspaceId: string, postId: string) =>
  and(eq(mediaUses.workspaceId, workspaceId), eq(mediaUses.postId, postId));

/**
 * The statement that sets the expiry of files, if `condition` holds. `files` is a select of workspaces and file ids. Files
 * without a stored copy, and files that already have this expiry, are not written.
 */
export const setExpiry = (db: Database, files: SQL, expiresAt: SQL, condition: SQL) =>
  db
    .update(media)
    .set({ expiresAt })
    .where(
      and(
        sql`(${media.workspaceId}, ${media.id}) IN (${files})`,
        sql`${media.objectKey} IS NOT NULL AND ${media.state} <> 'expired'`,
        sql`${media.expiresAt} IS NOT ${expiresAt}`,
        condition,
      ),
    );

/** The expiry that results for a file from all of its posts except `exceptPost`; NULL while one of them is unfinished. */
function expiry(exceptPost: string): SQL {
  const uses = sql`FROM ${mediaUses} WHERE ${mediaUses.workspaceId} = ${media.workspaceId}
    AND ${mediaUses.mediaId} = ${media.id} AND ${mediaUses.postId} <> ${exceptPost}`;
  return sql`(CASE WHEN NOT EXISTS (SELECT 1 ${uses} AND ${mediaUses.finishedAt} IS NULL)
    THEN (SELECT MAX(${mediaUses.finishedAt}) ${uses}) + ${STAGING_RETENTION_MS} END)`;
}

/**
 * True if all files of `ids` can be used and the `inspected` files still have the same content. This keeps a post from using a
 * file that is deleted or changed between the check and the write.
 */
export function canTakeFiles(workspaceId: string, ids: string[], inspected: { id: string; etag: string }[]): SQL {
  const inspectedList = JSON.stringify(inspected.map(({ id, etag }) => ({ id, etag })));
  const ofFile = sql`${media.workspaceId} = ${workspaceId} AND ${media.id}`;
  return sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) WHERE NOT EXISTS (SELECT 1 FROM ${media}
      WHERE ${ofFile} = value AND ${media.state} <> 'expired'))
    AND NOT EXISTS (SELECT 1 FROM json_each(${inspectedList}) CROSS JOIN ${media}
      WHERE ${ofFile} = value ->> 'id' AND ${media.etag} <> value ->> 'etag')`;
}

/** The statements that record that a post uses files, if `condition` holds. */
export function takeFiles(db: Database, workspaceId: string, postId: string, ids: string[], condition: SQL) {
  const list = sql`json_each(${JSON.stringify(ids)})`;
  return [
    insertFrom(db, mediaUses, { workspaceId, mediaId: sql`value`, postId }, sql`FROM ${list} WHERE ${condition}`),
    setExpiry(db, sql`SELECT ${workspaceId}, value FROM ${list}`, sql`NULL`, condition),
  ] as const;
}

/** The statements by which an unfinished post releases its files, if `condition` holds. */
export function dropFiles(db: Database, workspaceId: string, postId: string, condition: SQL) {
  const files = sql`SELECT ${mediaUses.workspaceId}, ${mediaUses.mediaId} FROM ${mediaUses} WHERE ${isUsedByPost(workspaceId, postId)}`;
  return [
    setExpiry(db, files, expiry(postId), condition),
    db.delete(mediaUses).where(and(isUsedByPost(workspaceId, postId), condition)),
  ] as const;
}

/**
 * The statements that update the uses and the expiry of files after their posts have finished, or have become active again.
 * `keys` is a select of the workspaces and ids of these posts.
 */
export function followPosts(db: Database, keys: SQL) {
  const finishedAt = sql`(SELECT ${posts.finishedAt} FROM ${posts} WHERE ${posts.workspaceId} = ${mediaUses.workspaceId}
    AND ${posts.id} = ${mediaUses.postId})`;
  const ofPosts = sql`(${mediaUses.workspaceId}, ${mediaUses.postId}) IN (${keys})`;
  const files = sql`SELECT ${mediaUses.workspaceId}, ${mediaUses.mediaId} FROM ${mediaUses} WHERE ${ofPosts}`;
  return [
    db
      .update(mediaUses)
      .set({ finishedAt })
      .where(and(ofPosts, sql`${mediaUses.finishedAt} IS NOT ${finishedAt}`)),
    setExpiry(db, files, expiry(""), sql`TRUE`),
  ] as const;
}
