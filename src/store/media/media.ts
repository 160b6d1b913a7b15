import { and, desc, eq, inArray, lt, ne, notInArray, type SQL, sql } from "drizzle-orm";
import { STAGING_RETENTION_MS } from "../../domain/limits.ts";
import { UNLISTED_KINDS } from "../../domain/media/terms.ts";
import type { Upload } from "../accounts/ended-rights.ts";
import { batch } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { media, mediaUses, posts, workspaces } from "../db/schema.ts";
import { discardCopies } from "./copies.ts";
import { type DiscardedObject, discardObjects, objectToDelete } from "./staging.ts";

export type MediaRow = typeof media.$inferSelect;

/** A page of the library, newest first, below the id `before`. */
export async function listMedia(
  db: Database,
  workspaceId: string,
  limit: number,
  before: string | null,
  kinds: "all kinds" | "listed kinds" = "all kinds",
): Promise<MediaRow[]> {
  const isListed = kinds === "all kinds" ? undefined : notInArray(media.kind, [...UNLISTED_KINDS]);
  return db
    .select()
    .from(media)
    .where(and(eq(media.workspaceId, workspaceId), isListed, before === null ? undefined : lt(media.id, before)))
    .orderBy(desc(media.id))
    .limit(limit);
}

/** The files that posts use. */
export async function mediaOfPosts(db: Database, workspaceId: string, postIds: string[]): Promise<MediaRow[]> {
  return db
    .select()
    .from(media)
    .where(
      and(
        eq(media.workspaceId, workspaceId),
        sql`${media.id} IN (SELECT media_id FROM media_uses WHERE workspace_id = ${workspaceId}
          AND post_id IN (SELECT value FROM json_each(${JSON.stringify(postIds)})))`,
      ),
    );
}

/** The statement that reads the files of `ids` that exist in the workspace. */
export function mediaByIds(db: Database, workspaceId: In<string>, ids: string[]) {
  return db
    .select()
    .from(media)
    .where(
      and(
        eq(media.workspaceId, workspaceId),
        sql`${media.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
      ),
    )
    .orderBy(desc(media.id));
}

/** The row of an unexpired file; undefined: no such file exists. */
export async function readStored(db: Database, workspaceId: string, id: string): Promise<MediaRow | undefined> {
  const [row] = await db
    .select()
    .from(media)
    .where(and(eq(media.workspaceId, workspaceId), eq(media.id, id), ne(media.state, "expired")));
  return row;
}

export async function insertRegistered(db: Database, row: typeof media.$inferInsert): Promise<MediaRow | undefined> {
  const { rows } = await batch(db, { rows: db.insert(media).values(row).returning() });
  return rows[0];
}

/** The facts of a file before it is uploaded. */
type Announced = Pick<
  MediaRow,
  "kind" | "objectKey" | "uploadId" | "contentType" | "alt" | "name" | "tags" | "terms" | "kept" | keyof Upload
>;

/**
 * Stores a file that is to be uploaded and counts its bytes, if the staging ceiling `bytesMax` (null: none) allows.
 * Returns undefined at the ceiling.
 */
export async function insertUpload(
  db: Database,
  row: Announced & { bytes: number },
  bytesMax: number | null,
): Promise<MediaRow | undefined> {
  const { workspaceId, id, bytes } = row;
  const {
    rows: [mediaRow],
  } = await batch(db, {
    inserted: insertFrom(
      db,
      media,
      { ...row, state: "awaiting_upload" },
      sql`FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
        AND (${bytesMax} IS NULL OR ${workspaces.stagedBytes} + ${bytes} <= ${bytesMax})`,
    ),
    counted: db
      .update(workspaces)
      .set({ stagedBytes: sql`${workspaces.stagedBytes} + ${bytes}` })
      .where(
        and(
          eq(workspaces.id, workspaceId),
          sql`EXISTS (SELECT 1 FROM ${media} WHERE ${media.workspaceId} = ${workspaceId} AND ${media.id} = ${id})`,
        ),
      ),
    rows: db
      .select()
      .from(media)
      .where(and(eq(media.workspaceId, workspaceId), eq(media.id, id))),
  });
  return mediaRow;
}

/** The facts of a stored file: the identity of its content, pixels, and seconds. */
export interface Inspection {
  id: string;
  etag: string;
  width: number | null;
  height: number | null;
  seconds: number | null;
}

/** The columns that an inspection sets: an uploaded file that was found is ready. */
export function inspectedColumns({ etag, width, height, seconds }: Inspection) {
  const durationMs = seconds === null ? null : Math.round(seconds * 1000);
  return { state: "ready", etag, width, height, durationMs } as const;
}

/**
 * The statement that stores inspections, one for each file; no statement for an empty list. The first stored content of
 * a file is permanent, and an expired file stays expired.
 */
export function noteInspections(db: Database, workspaceId: string, inspections: Inspection[]) {
  if (inspections.length === 0) return [];
  const rows = inspections.map((inspection) => ({ id: inspection.id, ...inspectedColumns(inspection) }));
  const list = sql`json_each(${JSON.stringify(rows)})`;
  const learnt = (column: keyof (typeof rows)[number]) =>
    sql`(SELECT value ->> ${column} FROM ${list} WHERE value ->> 'id' = ${media.id})`;
  return [
    db
      .update(media)
      .set({
        state: "ready",
        etag: learnt("etag"),
        width: learnt("width"),
        height: learnt("height"),
        durationMs: learnt("durationMs"),
      })
      .where(
        and(
          eq(media.workspaceId, workspaceId),
          sql`${media.id} IN (SELECT value ->> 'id' FROM ${list})`,
          ne(media.state, "expired"),
          sql`COALESCE(${media.etag}, ${learnt("etag")}) = ${learnt("etag")}`,
        ),
      )
      .returning({ id: media.id }),
  ];
}

/**
 * Stores inspections, one for each file. An empty list needs no call. Returns false if a file has other content, has
 * expired or is gone; nothing changes about that file.
 */
export async function storeInspections(db: Database, workspaceId: string, inspections: Inspection[]): Promise<boolean> {
  const [statement] = noteInspections(db, workspaceId, inspections);
  return statement === undefined || (await statement).length === inspections.length;
}

/** True if a post with one of these stored statuses uses a file. */
function isUsed(
  workspaceId: string,
  id: string,
  statuses: (typeof posts.$inferSelect)["status"][],
  condition: SQL = sql`TRUE`,
): SQL {
  // A cross join starts at its left side: at the uses of this file, not at all published posts.
  return sql`EXISTS (SELECT 1 FROM ${mediaUses} CROSS JOIN ${posts} ON ${posts.workspaceId} = ${mediaUses.workspaceId}
    AND ${posts.id} = ${mediaUses.postId} WHERE ${mediaUses.workspaceId} = ${workspaceId} AND ${mediaUses.mediaId} = ${id}
    AND ${inArray(posts.status, statuses)} AND ${condition})`;
}

/**
 * True if a post that awaits approval, or that is approved and not published yet, uses a file. Such a file must not change,
 * because exactly the content that was decided on is published.
 */
const isDecidedOn = (workspaceId: string, id: string): SQL =>
  isUsed(workspaceId, id, ["awaiting_approval", "scheduled"], sql`${posts.approval} IS NOT NULL`);

/** Whether a file's alt text is fixed, because a decision covers it. */
export async function isFixed(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const [row] = await db.select({ fixed: sql<number>`${isDecidedOn(workspaceId, id)}` }).from(sql`(SELECT 1)`);
  return row?.fixed === 1;
}

/** Whether an upcoming post uses a file. */
export async function isScheduled(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const isUpcoming = isUsed(workspaceId, id, ["scheduled"]);
  const [row] = await db.select({ scheduled: sql<number>`${isUpcoming}` }).from(sql`(SELECT 1)`);
  return row?.scheduled === 1;
}

/** What people say about a file, and its terms, which are derived from it. */
export type Description = Pick<MediaRow, "alt" | "name" | "tags" | "terms"> & { kept?: boolean | undefined };

/**
 * Replaces the description of a file, if it is still the one in `row`. A changed alt text is not stored if a decision covers
 * it, or, without `ofScheduled`, if an upcoming post uses the file. undefined if nothing was stored.
 */
export async function storeDescription(
  db: Database,
  { workspaceId, id, alt: oldAlt, name: oldName, tags: oldTags }: MediaRow,
  { kept, ...description }: Description,
  { ofScheduled }: { ofScheduled: boolean },
): Promise<MediaRow | undefined> {
  const mayChangeAlt = and(
    ofScheduled ? undefined : sql`NOT ${isUsed(workspaceId, id, ["scheduled"])}`,
    sql`NOT ${isDecidedOn(workspaceId, id)}`,
  );
  const stored = db
    .update(media)
    .set({ ...description, ...(kept === undefined ? {} : keepColumns(kept)) })
    .where(
      and(
        eq(media.workspaceId, workspaceId),
        eq(media.id, id),
        sql`${media.alt} IS ${oldAlt} AND ${media.name} IS ${oldName} AND ${media.tags} = ${JSON.stringify(oldTags)}`,
        description.alt === oldAlt ? undefined : mayChangeAlt,
      ),
    )
    .returning();
  const { rows } = await batch(db, { rows: stored });
  return rows[0];
}

/** A file that is no longer kept lasts as long as after a post. */
const keepColumns = (kept: boolean) =>
  kept ? { kept } : { kept, expiresAt: sql`MAX(${media.expiresAt}, ${NOW} + ${STAGING_RETENTION_MS})` };

/**
 * Deletes a file unless a live or upcoming post uses it. Drafts lose it. Returns the deleted row, and its object if its
 * upload address has expired; undefined if the file stays.
 */
export async function deleteMedia(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<{ row: MediaRow; ended: DiscardedObject[] } | undefined> {
  const isFile = and(eq(media.workspaceId, workspaceId), eq(media.id, id));
  const isFree = sql`NOT ${isUsed(workspaceId, id, ["awaiting_approval", "scheduled", "published", "partially_published"])}`;
  const condition = sql`${isFile} AND ${media.state} IN ('awaiting_upload', 'ready') AND ${isFree}`;
  const {
    rows: [row],
    ended,
  } = await batch(db, {
    objects: discardObjects(db, condition),
    copies: discardCopies(db, condition),
    ended: objectToDelete(db, workspaceId, sql`(SELECT ${media.objectKey} FROM ${media} WHERE ${isFile})`),
    rows: db.delete(media).where(and(isFile, isFree)).returning(),
  });
  return row && { row, ended };
}
