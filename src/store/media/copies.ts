// Converted copies of images. They count like files, and are deleted with their file.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { discardedObjects, media, mediaCopies, workspaces } from "../db/schema.ts";

export type CopyRow = typeof mediaCopies.$inferSelect;
type MediaRow = typeof media.$inferSelect;

/** The copies of some files of a workspace. */
export async function readCopies(db: Database, workspaceId: string, mediaIds: string[]): Promise<CopyRow[]> {
  return db
    .select()
    .from(mediaCopies)
    .where(
      and(
        eq(mediaCopies.workspaceId, workspaceId),
        inArray(mediaCopies.mediaId, sql`(SELECT value FROM json_each(${JSON.stringify(mediaIds)}))`),
      ),
    );
}

/**
 * Stores a copy that `noteCopy` recorded, and counts its bytes. The file must not be known to have other content than
 * `sourceEtag`, and the bytes must not exceed the ceiling `bytesMax` (null: no ceiling). Returns the copy of this conversion,
 * which another call may have stored first. Returns undefined if the file is gone or has other content, or if the ceiling is
 * reached.
 */
export async function insertCopy(
  db: Database,
  copy: CopyRow,
  sourceEtag: string,
  bytesMax: number | null,
): Promise<CopyRow | undefined> {
  const { workspaceId, mediaId, conversion, objectKey, bytes } = copy;
  const isThis = and(
    eq(mediaCopies.workspaceId, workspaceId),
    eq(mediaCopies.mediaId, mediaId),
    eq(mediaCopies.conversion, conversion),
  );
  // The record is deleted in the same transaction, so a repeated batch counts nothing twice.
  const isNew = sql`EXISTS (SELECT 1 FROM ${mediaCopies} CROSS JOIN ${discardedObjects} ON ${discardedObjects.workspaceId} = ${workspaceId}
    AND ${discardedObjects.objectKey} = ${objectKey} WHERE ${isThis} AND ${mediaCopies.objectKey} = ${objectKey})`;
  const { rows } = await batch(db, {
    stored: insertFrom(
      db,
      mediaCopies,
      copy,
      sql`FROM ${media} WHERE ${media.workspaceId} = ${workspaceId} AND ${media.id} = ${mediaId} AND ${media.state} <> 'expired'
        AND COALESCE(${media.etag}, ${sourceEtag}) = ${sourceEtag} AND EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
          AND (${bytesMax} IS NULL OR ${workspaces.stagedBytes} + ${bytes} <= ${bytesMax}))`,
    ).onConflictDoNothing(),
    counted: db
      .update(workspaces)
      .set({ stagedBytes: sql`${workspaces.stagedBytes} + ${bytes}` })
      .where(and(eq(workspaces.id, workspaceId), isNew)),
    noted: db
      .delete(discardedObjects)
      .where(and(eq(discardedObjects.workspaceId, workspaceId), eq(discardedObjects.objectKey, objectKey), isNew)),
    rows: db.select().from(mediaCopies).where(isThis),
  });
  return rows[0];
}

/**
 * Stores the thumbnail of a video, which `noteCopy` recorded, in place of an earlier one. The file must not be known to have
 * other content than `sourceEtag`. Returns the file; undefined if it is gone or has other content. A video has no other copies.
 */
export async function replacePoster(db: Database, copy: CopyRow, sourceEtag: string): Promise<MediaRow | undefined> {
  const { workspaceId, mediaId, objectKey } = copy;
  const isFile = and(
    eq(media.workspaceId, workspaceId),
    eq(media.id, mediaId),
    sql`${media.state} <> 'expired' AND COALESCE(${media.etag}, ${sourceEtag}) = ${sourceEtag}`,
  );
  const [discarded, deleted] = discardCopies(db, sql`${isFile}`);
  const { rows } = await batch(db, {
    discarded,
    deleted,
    stored: insertFrom(db, mediaCopies, copy, sql`FROM ${media} WHERE ${isFile}`).onConflictDoNothing(),
    noted: db.delete(discardedObjects).where(
      and(
        eq(discardedObjects.workspaceId, workspaceId),
        eq(discardedObjects.objectKey, objectKey),
        sql`EXISTS (SELECT 1 FROM ${mediaCopies} WHERE ${mediaCopies.workspaceId} = ${workspaceId}
            AND ${mediaCopies.mediaId} = ${mediaId} AND ${mediaCopies.objectKey} = ${objectKey})`,
      ),
    ),
    named: db.update(media).set({ posterEtag: sourceEtag }).where(isFile),
    rows: db.select().from(media).where(isFile),
  });
  return rows[0];
}

/**
 * The statements that discard the copies of the files that `condition` selects. Their bytes count until they are
 * deleted.
 */
export function discardCopies(db: Database, condition: SQL) {
  const ofFiles = sql`(${mediaCopies.workspaceId}, ${mediaCopies.mediaId}) IN
    (SELECT ${media.workspaceId}, ${media.id} FROM ${media} WHERE ${condition})`;
  return [
    insertFrom(
      db,
      discardedObjects,
      {
        workspaceId: mediaCopies.workspaceId,
        objectKey: mediaCopies.objectKey,
        nextAt: NOW,
        bytes: mediaCopies.bytes,
      },
      sql`FROM ${mediaCopies} WHERE ${ofFiles}`,
    ).onConflictDoNothing(),
    db.delete(mediaCopies).where(ofFiles),
  ] as const;
}
