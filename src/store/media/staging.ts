// The stored copies of uploaded files: the bytes that they count, their expiry, and their pending deletion from the
// bucket.
import { and, asc, eq, isNull, lte, ne, type SQL, sql } from "drizzle-orm";
import { HOUR_MS, STAGING_RETENTION_MS, UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { discardedObjects, media, mediaUses, workspaces } from "../db/schema.ts";
import { discardCopies } from "./copies.ts";

/**
 * The statement that discards the objects of the files that `condition` selects. The bytes of an object count until it is
 * deleted, because anyone who has its upload address can still fill the object while the address is valid.
 */
export function discardObjects(db: Database, condition: SQL) {
  return insertFrom(
    db,
    discardedObjects,
    {
      workspaceId: media.workspaceId,
      objectKey: media.objectKey,
      // No chunk arrives after its upload was aborted.
      nextAt: sql`CASE WHEN ${media.uploadId} IS NULL THEN MAX(${NOW}, ${media.createdAt} + ${UPLOAD_OVER_MS}) ELSE ${NOW} END`,
      bytes: sql`COALESCE(${media.bytes}, 0)`,
      uploadId: media.uploadId,
    },
    sql`FROM ${media} WHERE ${media.objectKey} IS NOT NULL AND ${condition}`,
  ).onConflictDoNothing();
}

const staged = {
  workspaceId: media.workspaceId,
  id: media.id,
  state: media.state,
  expiresAt: media.expiresAt,
  objectKey: media.objectKey,
};
/** A stored copy as it was read; a write applies only if the copy is unchanged. */
export type StagedFile = Pick<typeof media.$inferSelect, keyof typeof staged>;

/** Expired copies of all workspaces, longest due first. */
export async function expiringFiles(db: Database, limit: number): Promise<StagedFile[]> {
  return db
    .select(staged)
    .from(media)
    .where(
      and(
        sql`${media.expiresAt} IS NOT NULL AND ${media.state} <> 'expired' AND ${media.kept} = 0`,
        lte(media.expiresAt, NOW),
      ),
    )
    .orderBy(asc(media.expiresAt))
    .limit(limit);
}

/** Uploads of all workspaces that have not arrived as far as Crier knows, and can no longer arrive. Oldest first. */
export async function overdueUploads(db: Database, limit: number) {
  const { uploader, uploaderCredential, createdAt, etag } = media;
  return db
    .select({ ...staged, uploader, uploaderCredential, createdAt, etag })
    .from(media)
    .where(and(sql`${media.state} = 'awaiting_upload'`, lte(media.createdAt, sql`${NOW} - ${UPLOAD_OVER_MS}`)))
    .orderBy(asc(media.createdAt))
    .limit(limit);
}

/** True of the files in `files` that have not changed since they were read. */
export function among(files: StagedFile[]): SQL {
  const list = sql`json_each(${JSON.stringify(files)})`;
  return sql`(${media.workspaceId}, ${media.id}) IN (SELECT value ->> 'workspaceId', value ->> 'id' FROM ${list})
    AND (${media.id}, ${media.state}, COALESCE(${media.expiresAt}, 0)) IN
      (SELECT value ->> 'id', value ->> 'state', COALESCE(value ->> 'expiresAt', 0) FROM ${list})`;
}

/** Marks uploads as arrived. */
export async function markReady(db: Database, files: StagedFile[]): Promise<void> {
  await db.update(media).set({ state: "ready" }).where(among(files));
}

/**
 * Marks copies as expired and discards their objects in one batch. If a post has begun to use a copy since the read, or somebody
 * has asked to keep it, the copy stays. `why`: "unused" for a copy whose time has come; an upload that never arrived expires
 * even if it was to be kept. If a file was copied from an address, its row keeps the address and loses the copy.
 */
export async function expireFiles(db: Database, files: StagedFile[], why: "unused" | "never arrived"): Promise<void> {
  const condition = why === "unused" ? sql`${among(files)} AND ${media.kept} = 0` : among(files);
  await db.batch([
    discardObjects(db, condition),
    ...discardCopies(db, condition),
    db
      .update(media)
      .set({
        state: sql`CASE WHEN ${media.url} IS NULL THEN 'expired' ELSE 'registered' END`,
        expiresAt: sql`CASE WHEN ${media.url} IS NULL THEN COALESCE(${media.expiresAt}, ${NOW}) END`,
        objectKey: sql`CASE WHEN ${media.url} IS NULL THEN ${media.objectKey} END`,
        etag: sql`CASE WHEN ${media.url} IS NULL THEN ${media.etag} END`,
      })
      .where(condition),
  ]);
}

const discarded = {
  workspaceId: discardedObjects.workspaceId,
  objectKey: discardedObjects.objectKey,
  nextAt: discardedObjects.nextAt,
  uploadId: discardedObjects.uploadId,
};
/** A discarded object, as it was read. `nextAt` shows whether the object was recorded again after the read. */
export type DiscardedObject = Pick<typeof discardedObjects.$inferSelect, keyof typeof discarded>;

/** Objects of all workspaces that are due for deletion from the bucket, longest due first. */
export async function objectsToDelete(db: Database, limit: number): Promise<DiscardedObject[]> {
  return db
    .select(discarded)
    .from(discardedObjects)
    .where(lte(discardedObjects.nextAt, NOW))
    .orderBy(asc(discardedObjects.nextAt))
    .limit(limit);
}

/** The statement that reads the object under a key, if it was discarded and is due for deletion. */
export function objectToDelete(db: Database, workspaceId: string, objectKey: SQL) {
  return db
    .select(discarded)
    .from(discardedObjects)
    .where(
      and(
        eq(discardedObjects.workspaceId, workspaceId),
        eq(discardedObjects.objectKey, objectKey),
        lte(discardedObjects.nextAt, NOW),
      ),
    );
}

/** How long a copy that no row names is kept: longer than copying the largest file takes. */
export const UNNAMED_COPY_LIFE_MS = HOUR_MS;

/**
 * Records an object that is about to be written: it is deleted `lifeMs` from now, unless it is recorded again before.
 * This is written first, so a crash never leaves an object without a record.
 */
export async function noteCopy(
  db: Database,
  { workspaceId, objectKey }: { workspaceId: string; objectKey: string },
  lifeMs: number,
): Promise<void> {
  const nextAt = sql`${NOW} + ${lifeMs}`;
  await db
    .insert(discardedObjects)
    .values({ workspaceId, objectKey, nextAt })
    .onConflictDoUpdate({ target: [discardedObjects.workspaceId, discardedObjects.objectKey], set: { nextAt } });
}

/**
 * Writes the name of a copy into the row of an uploaded file. `noteCopy` has recorded this copy, and it has the file's content.
 * If the row already names another copy, the row does not change. The uploaded object is deleted when its upload address has
 * expired. Returns false if the file is gone or has other content.
 */
export async function sealFile(
  db: Database,
  file: typeof media.$inferSelect,
  copy: { objectKey: string; etag: string },
): Promise<boolean> {
  const { workspaceId, id, objectKey: uploaded, width, height, durationMs } = file;
  const isFile = and(
    eq(media.workspaceId, workspaceId),
    eq(media.id, id),
    ne(media.state, "expired"),
    eq(media.etag, copy.etag),
  );
  const isNamed = sql`EXISTS (SELECT 1 FROM ${media} WHERE ${media.workspaceId} = ${workspaceId} AND ${media.id} = ${id}
    AND ${media.objectKey} = ${copy.objectKey})`;
  const { rows } = await batch(db, {
    sealed: db
      .update(media)
      .set({ objectKey: copy.objectKey, etag: copy.etag, state: "ready", width, height, durationMs })
      .where(
        and(
          eq(media.workspaceId, workspaceId),
          eq(media.id, id),
          ne(media.state, "expired"),
          sql`${media.objectKey} = ${uploaded}`,
          sql`COALESCE(${media.etag}, ${copy.etag}) = ${copy.etag}`,
        ),
      ),
    uploaded: insertFrom(
      db,
      discardedObjects,
      { workspaceId, objectKey: sql`${uploaded}`, nextAt: sql`MAX(${NOW}, ${file.createdAt} + ${UPLOAD_OVER_MS})` },
      sql`WHERE ${isNamed}`,
    ).onConflictDoNothing(),
    noted: db
      .delete(discardedObjects)
      .where(
        and(eq(discardedObjects.workspaceId, workspaceId), eq(discardedObjects.objectKey, copy.objectKey), isNamed),
      ),
    rows: db.select({ id: media.id }).from(media).where(isFile),
  });
  return rows.length === 1;
}

/** The columns of a file's row that describe its copy. */
type Copy = Pick<
  typeof media.$inferSelect,
  "objectKey" | "etag" | "contentType" | "width" | "height" | "durationMs"
> & { objectKey: string; bytes: number };

/**
 * Writes the name of a copy into the row of a file at an address, and counts the copy's bytes. `noteCopy` has recorded this
 * copy. The row does not change if it already names a copy, or if the bytes would exceed the ceiling `bytesMax` (null: no
 * ceiling). A copy that no post uses expires like any unused file. Returns the row, which has no object if the ceiling was
 * reached. Returns undefined if the file is gone.
 */
export async function nameCopy(
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  copy: Copy,
  bytesMax: number | null,
): Promise<typeof media.$inferSelect | undefined> {
  const isFile = and(eq(media.workspaceId, workspaceId), eq(media.id, id), ne(media.state, "expired"));
  // The record is deleted in the same transaction, so a repeated batch counts nothing twice.
  const isNew = sql`EXISTS (SELECT 1 FROM ${media} CROSS JOIN ${discardedObjects} ON ${discardedObjects.workspaceId} = ${workspaceId}
    AND ${discardedObjects.objectKey} = ${copy.objectKey} WHERE ${media.workspaceId} = ${workspaceId} AND ${media.id} = ${id}
    AND ${media.objectKey} = ${copy.objectKey})`;
  const isUsed = sql`EXISTS (SELECT 1 FROM ${mediaUses} WHERE ${mediaUses.workspaceId} = ${workspaceId}
    AND ${mediaUses.mediaId} = ${id} AND ${mediaUses.finishedAt} IS NULL)`;
  const { rows } = await batch(db, {
    named: db
      .update(media)
      .set({
        ...copy,
        state: "ready",
        expiresAt: sql`CASE WHEN ${isUsed} THEN NULL ELSE ${NOW} + ${STAGING_RETENTION_MS} END`,
      })
      .where(
        and(
          isFile,
          isNull(media.objectKey),
          sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
            AND (${bytesMax} IS NULL OR ${workspaces.stagedBytes} + ${copy.bytes} <= ${bytesMax}))`,
        ),
      ),
    counted: db
      .update(workspaces)
      .set({ stagedBytes: sql`${workspaces.stagedBytes} + ${copy.bytes}` })
      .where(and(eq(workspaces.id, workspaceId), isNew)),
    noted: db
      .delete(discardedObjects)
      .where(and(eq(discardedObjects.workspaceId, workspaceId), eq(discardedObjects.objectKey, copy.objectKey), isNew)),
    rows: db.select().from(media).where(isFile),
  });
  return rows[0];
}

/**
 * Records that objects were deleted, and stops counting their bytes. If an object was recorded again in the meantime, it will
 * be deleted again.
 */
export async function markDeleted(db: Database, objects: DiscardedObject[]): Promise<void> {
  const list = sql`json_each(${JSON.stringify(objects)})`;
  const condition = sql`(${discardedObjects.workspaceId}, ${discardedObjects.objectKey}, ${discardedObjects.nextAt}) IN
    (SELECT value ->> 'workspaceId', value ->> 'objectKey', value ->> 'nextAt' FROM ${list})`;
  const sums = db
    .select({
      workspaceId: discardedObjects.workspaceId,
      bytes: sql<number>`SUM(${discardedObjects.bytes})`.as("given_bytes"),
    })
    .from(discardedObjects)
    .where(condition)
    .groupBy(discardedObjects.workspaceId)
    .as("sums");
  await db.batch([
    db
      .update(workspaces)
      .set({ stagedBytes: sql`${workspaces.stagedBytes} - ${sums.bytes}` })
      .from(sums)
      .where(and(eq(workspaces.id, sums.workspaceId), sql`${sums.bytes} > 0`)),
    db.delete(discardedObjects).where(condition),
  ]);
}
