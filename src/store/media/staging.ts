// The stored copies of uploaded files: what they count, when they go, and what is still to be deleted from the bucket.
import { and, asc, eq, lte, ne, type SQL, sql } from "drizzle-orm";
import { HOUR_MS, STAGING_RETENTION_MS, UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { discardedObjects, media, mediaUses, workspaces } from "../db/schema.ts";
import { discardCopies } from "./copies.ts";

/**
 * The statement that notes the objects of the files that `condition` selects for deletion. Their bytes count until they are
 * deleted: while an upload can still arrive, a holder of its address can still fill it.
 */
export function discardObjects(db: Database, condition: SQL) {
  return insertFrom(
    db,
    discardedObjects,
    {
      workspaceId: sql`${media.workspaceId}`,
      objectKey: sql`${media.objectKey}`,
      nextAt: sql`MAX(${NOW}, ${media.createdAt} + ${UPLOAD_OVER_MS})`,
      bytes: sql`COALESCE(${media.bytes}, 0)`,
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
/** A stored copy as it was read; a write that finds it otherwise leaves it alone. */
export type StagedFile = Pick<typeof media.$inferSelect, keyof typeof staged>;

/** Copies of any workspace whose time has come, longest due first. */
export async function expiringFiles(db: Database, limit: number): Promise<StagedFile[]> {
  return db
    .select(staged)
    .from(media)
    .where(and(sql`${media.expiresAt} IS NOT NULL AND ${media.state} <> 'expired'`, lte(media.expiresAt, NOW)))
    .orderBy(asc(media.expiresAt))
    .limit(limit);
}

/** Uploads of any workspace that nobody has seen arrive and that cannot arrive any more, oldest first. */
export async function overdueUploads(db: Database, limit: number): Promise<StagedFile[]> {
  return db
    .select(staged)
    .from(media)
    .where(and(sql`${media.state} = 'awaiting_upload'`, lte(media.createdAt, sql`${NOW} - ${UPLOAD_OVER_MS}`)))
    .orderBy(asc(media.createdAt))
    .limit(limit);
}

/** Those of `files` that are still as they were read. */
function among(files: StagedFile[]): SQL {
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
 * Marks copies as expired and notes their objects for deletion, both at once; one that a post has begun to use since it was
 * read stays. A file that was copied from an address is at its address again.
 */
export async function expireFiles(db: Database, files: StagedFile[]): Promise<void> {
  const condition = among(files);
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
};
/** An object that was given up, as it was read; one that is noted again meanwhile has another time. */
export type DiscardedObject = Pick<typeof discardedObjects.$inferSelect, keyof typeof discarded>;

/** Objects of any workspace that are to be deleted from the bucket now, longest due first. */
export async function objectsToDelete(db: Database, limit: number): Promise<DiscardedObject[]> {
  return db
    .select(discarded)
    .from(discardedObjects)
    .where(lte(discardedObjects.nextAt, NOW))
    .orderBy(asc(discardedObjects.nextAt))
    .limit(limit);
}

/** The statement that reads the object under a key, if it was given up and is to be deleted now. */
export function objectToDelete(db: Database, workspaceId: string, objectKey: SQL) {
  return db
    .select(discarded)
    .from(discardedObjects)
    .where(
      and(
        eq(discardedObjects.workspaceId, workspaceId),
        sql`${discardedObjects.objectKey} = ${objectKey}`,
        lte(discardedObjects.nextAt, NOW),
      ),
    );
}

/** How long a copy is kept that no row names: longer than copying the largest file takes. */
export const UNNAMED_COPY_LIFE_MS = HOUR_MS;

/**
 * Notes an object that is about to be written: it is deleted `lifeMs` from now, unless it is noted again before. Written
 * first, so that no crash leaves an object that nothing names.
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
 * Has a file's row name a copy of its content that was noted by `noteCopy`, unless another copy was named before: then that one stays.
 * The object that was uploaded is deleted when nothing can arrive there any more. Returns false when the file has gone or has another
 * content.
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

/** What a file's row says of its copy. */
type Copy = Pick<
  typeof media.$inferSelect,
  "objectKey" | "etag" | "contentType" | "width" | "height" | "durationMs"
> & { objectKey: string; bytes: number };

/**
 * Has the row of a file at an address name a copy that was noted by `noteCopy`, and counts its bytes, if the staging ceiling `bytesMax`
 * (null: none) allows and no other copy was named before. A copy that no post uses expires like any unused file. Returns the row, which
 * has no object if the ceiling was reached; undefined if the file is gone.
 */
export async function nameCopy(
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  copy: Copy,
  bytesMax: number | null,
): Promise<typeof media.$inferSelect | undefined> {
  const isFile = and(eq(media.workspaceId, workspaceId), eq(media.id, id), ne(media.state, "expired"));
  // The note goes in the same transaction, so a batch that is repeated counts nothing again.
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
          sql`${media.objectKey} IS NULL`,
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

/** Notes that objects are deleted, and gives their bytes back; one that was noted again meanwhile is still to be. */
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
