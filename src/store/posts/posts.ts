// Posts with their deliveries: creating, reading, cancelling. What happens to a delivery afterwards is in deliveries.ts.
import { and, desc, eq, getTableColumns, gte, inArray, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { UNSENT } from "../../domain/delivery/settle.ts";
import { IDEMPOTENCY_TOMBSTONE_MS } from "../../domain/limits.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { ask, type BatchPart, batchPart } from "../db/batch.ts";
import { cell, type Database, type In, insertFrom, NOW, rowCell } from "../db/db.ts";
import { channels, deliveries, idempotencyKeys, media, posts, usageMonths, workspaces } from "../db/schema.ts";
import type { DeliveryRow } from "../deliveries/due.ts";
import { type Inspection, noteInspections } from "../media/media.ts";
import { canTakeFiles, dropFiles, takeFiles } from "./media-uses.ts";
import { hasStarted, refreshPostStatus, shownStatus } from "./status.ts";

type PostRow = Omit<typeof posts.$inferSelect, "status"> & { status: PostStatus };
export interface PostWithDeliveries {
  post: PostRow;
  deliveries: DeliveryRow[];
}

const deliveryCell = rowCell(deliveries);
const ofPost = and(eq(deliveries.workspaceId, posts.workspaceId), eq(deliveries.postId, posts.id));
const postColumns = {
  ...getTableColumns(posts),
  status: shownStatus,
  // One statement gives a post with its deliveries, so that both are of one moment.
  deliveries: cell(
    sql`(SELECT json_group_array(${deliveryCell.array}) FROM ${deliveries} WHERE ${ofPost})`,
    (rows: unknown[][][]): DeliveryRow[] => rows.map(deliveryCell.read).sort((a, b) => a.position - b.position),
  ).as("deliveries"),
};
/** A row of `selectPost`. */
const withDeliveries = ({
  deliveries: legs,
  ...post
}: PostRow & { deliveries: DeliveryRow[] }): PostWithDeliveries => ({
  post,
  deliveries: legs,
});

export const isPost = (workspaceId: In<string>, id: string) =>
  and(eq(posts.workspaceId, workspaceId), eq(posts.id, id));

/** How many of a workspace's newest posts are looked through for one that is the same. */
const TWINS_AMONG = 10;

/** The idempotency key that a post was made with. */
const keyOf = (workspaceId: string, id: string) =>
  sql`(SELECT ${posts.idempotencyKey} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;

export interface FoundForCheck {
  workspace: typeof workspaces.$inferSelect | undefined;
  channels: (typeof channels.$inferSelect)[];
  media: (typeof media.$inferSelect)[];
  /** Posts that the month holds. */
  postsUsed: number;
  /** An earlier use of the idempotency key. */
  key: typeof idempotencyKeys.$inferSelect | undefined;
  /** Posts of the same text. */
  recent: { id: string; media: string[]; channels: string[] }[];
}

/** What a post is judged with: its workspace, channels, files, the month's use, and an earlier use of its key. */
export function readForCheck(
  db: Database,
  workspaceId: In<string>,
  wanted: {
    channels: string[];
    media: string[];
    month: string;
    idempotencyKey: string | null;
    /** Posts of the same text among the newest, made at `since` (epoch milliseconds) or later. */
    twinsOf: { text: string | null; since: number };
    /** Also what this post names; it is no twin of itself, and has the text that twins are looked for of if there is none. */
    ofPost: string | null;
  },
): BatchPart<FoundForCheck> {
  const newest = newestIds(workspaceId, { status: null, limit: TWINS_AMONG, before: null });
  const ofPost = wanted.ofPost ?? "";
  const { text, since } = wanted.twinsOf;
  const oneOf = (column: typeof channels.id | typeof media.id, ids: string[], others: SQL) =>
    sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(ids)}) UNION ALL ${others})`;
  const channelsOfPost = sql`SELECT j.value FROM posts p JOIN json_each(p.channels) j
    WHERE p.workspace_id = ${workspaceId} AND p.id = ${ofPost}`;
  const filesOfPost = sql`SELECT u.media_id FROM media_uses u WHERE u.workspace_id = ${workspaceId} AND u.post_id = ${ofPost}`;
  const textOfPost = sql`(SELECT p.text FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id = ${ofPost})`;
  const statements = [
    db.select().from(workspaces).where(eq(workspaces.id, workspaceId)),
    db
      .select()
      .from(channels)
      .where(
        and(
          eq(channels.workspaceId, workspaceId),
          oneOf(channels.id, wanted.channels, channelsOfPost),
          isNull(channels.removedAt),
        ),
      ),
    db
      .select()
      .from(media)
      .where(and(eq(media.workspaceId, workspaceId), oneOf(media.id, wanted.media, filesOfPost))),
    db
      .select({ posts: usageMonths.posts })
      .from(usageMonths)
      .where(and(eq(usageMonths.workspaceId, workspaceId), eq(usageMonths.month, wanted.month))),
    db
      .select()
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, wanted.idempotencyKey ?? ""))),
    db
      .select({ id: posts.id, media: posts.media, channels: posts.channels })
      .from(posts)
      .where(
        and(
          eq(posts.workspaceId, workspaceId),
          sql`${posts.id} IN ${newest}`,
          eq(posts.text, text ?? textOfPost),
          gte(posts.createdAt, since),
          ne(posts.status, "cancelled"),
          ne(posts.id, ofPost),
        ),
      ),
  ] as const;
  return batchPart(statements, ([[workspace], channelRows, mediaRows, [use], [key], recent]) => ({
    workspace,
    channels: channelRows,
    media: mediaRows,
    postsUsed: use?.posts ?? 0,
    key,
    recent,
  }));
}

export interface NewPost {
  post: typeof posts.$inferInsert & { workspaceId: string; id: string };
  deliveries: { id: string; channelId: string; platform: string }[];
  /** Every file that any channel publishes. */
  mediaUsed: string[];
  key: { key: string; fingerprint: string } | null;
  /** What was learnt of its files; stored with it. */
  inspections: Inspection[];
  /** Posts that the month may hold; null = no limit. */
  postsMax: number | null;
}

/**
 * Writes a post, its deliveries, its count and its key in one transaction. Returns what was written: undefined at the
 * month's limit, or when a file of it has gone. Fails on `idempotency_keys.workspace_id` when the key was used meanwhile.
 */
export async function insertPost(
  db: Database,
  { post, deliveries: legs, mediaUsed, key, inspections, postsMax }: NewPost,
): Promise<PostWithDeliveries | undefined> {
  const { workspaceId, id, createdAt, countedMonth = null } = post;
  const exists = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)})`;
  const statements = [
    insertFrom(
      db,
      posts,
      { ...post, idempotencyKey: key?.key ?? null },
      sql`WHERE (${countedMonth} IS NULL OR ${postsMax} IS NULL
        OR COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths} WHERE ${usageMonths.workspaceId} = ${workspaceId}
          AND ${usageMonths.month} = ${countedMonth}), 0) < ${postsMax})
        AND ${canTakeFiles(workspaceId, mediaUsed, inspections)}`,
    ),
    ...insertLegs(db, { workspaceId, id, rev: 1, dueAt: post.dueAt ?? null }, legs, mediaUsed, exists),
    insertFrom(
      db,
      usageMonths,
      { workspaceId, month: countedMonth ?? "", posts: 1 },
      sql`WHERE ${countedMonth} IS NOT NULL AND ${exists}`,
    ).onConflictDoUpdate({
      target: [usageMonths.workspaceId, usageMonths.month],
      set: { posts: sql`${usageMonths.posts} + 1` },
    }),
    insertFrom(
      db,
      idempotencyKeys,
      { workspaceId, key: key?.key ?? "", postId: id, fingerprint: key?.fingerprint ?? "", createdAt },
      sql`WHERE ${key !== null} AND ${exists}`,
    ),
  ] as const;
  const results = await db.batch([
    ...statements,
    selectPost(db, workspaceId, id),
    ...noteInspections(db, workspaceId, inspections),
  ]);
  return results[6].map(withDeliveries)[0];
}

/** The statements that give a post its deliveries and say which files it uses, if `condition` holds. */
export function insertLegs(
  db: Database,
  post: { workspaceId: string; id: string; rev: number; dueAt: number | null },
  legs: NewPost["deliveries"],
  mediaUsed: string[],
  condition: SQL,
) {
  const { workspaceId, id: postId, dueAt } = post;
  const field = (name: string) => sql`value ->> ${name}`;
  return [
    insertFrom(
      db,
      deliveries,
      {
        workspaceId,
        postId,
        channelId: field("channelId"),
        id: field("id"),
        platform: field("platform"),
        position: sql`key`,
        state: "pending",
        // A session that has read what stood here before an edit finds another version.
        ver: post.rev,
        scheduledFor: dueAt,
        nextAt: dueAt,
      },
      sql`FROM json_each(${JSON.stringify(legs)}) WHERE ${condition}`,
    ),
    ...takeFiles(db, workspaceId, postId, mediaUsed, condition),
  ] as const;
}

/** An earlier use of an idempotency key. */
export async function findKeyUse(db: Database, workspaceId: string, key: string) {
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, key)));
  return row;
}

/** The statement that reads a post with its deliveries. */
function selectPost(db: Database, workspaceId: In<string>, id: string) {
  return db.select(postColumns).from(posts).where(isPost(workspaceId, id));
}

/** A post with its deliveries. */
export function readPost(db: Database, workspaceId: In<string>, id: string): BatchPart<PostWithDeliveries | undefined> {
  return batchPart([selectPost(db, workspaceId, id)], ([rows]) => rows.map(withDeliveries)[0]);
}

export const getPost = (db: Database, workspaceId: string, id: string) => ask(db, readPost(db, workspaceId, id));

interface PageOfPosts {
  /** null: all but the drafts. */
  status: PostStatus | null;
  limit: number;
  /** The id below which the page begins; null: at the newest. */
  before: string | null;
}

/** A page of posts, newest first. */
export function readPosts(db: Database, workspaceId: In<string>, filter: PageOfPosts): BatchPart<PostWithDeliveries[]> {
  const pageIds = newestIds(workspaceId, filter);
  const page = db
    .select(postColumns)
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), sql`${posts.id} IN ${pageIds}`))
    .orderBy(desc(posts.id));
  return batchPart([page], ([rows]) => rows.map(withDeliveries));
}

/** The statuses of all posts but drafts, as they are stored. */
const RELEASED = ["scheduled", "published", "partially_published", "failed", "cancelled"];

/** The ids of a page of posts. */
function newestIds(workspaceId: In<string>, { status, limit, before }: PageOfPosts): SQL {
  const within = (index: string, condition: SQL) => {
    const isBelow = before === null ? undefined : lt(posts.id, before);
    const matches = and(eq(posts.workspaceId, workspaceId), condition, isBelow);
    // Left to itself, SQLite walks the primary key through the whole history until a page is full.
    return sql`SELECT id FROM (SELECT ${posts.id} AS id FROM ${posts} INDEXED BY ${sql.identifier(index)} WHERE ${matches}
      ORDER BY ${posts.id} DESC LIMIT ${limit})`;
  };
  if (status !== null) {
    const { index, condition } = ofStatus(status);
    return sql`(${within(index, condition)})`;
  }
  const ofEach = RELEASED.map((one) => within("posts_by_status", sql`${posts.status} = ${one}`));
  return sql`(${sql.join(ofEach, sql` UNION ALL `)} ORDER BY id DESC LIMIT ${limit})`;
}

/** Which posts have a status, and the index that holds little else. */
function ofStatus(status: PostStatus): { index: string; condition: SQL } {
  // A status that a partial index is made for is written out, not bound: only so does the index serve.
  switch (status) {
    case "queued":
    case "publishing": {
      const isDue = sql`${posts.status} = 'scheduled' AND ${posts.dueAt} <= ${NOW}`;
      return { index: "posts_due", condition: sql`${isDue} AND ${hasStarted} = ${status === "publishing"}` };
    }
    case "scheduled":
      return { index: "posts_by_status", condition: sql`${posts.status} = 'scheduled' AND ${posts.dueAt} > ${NOW}` };
    default:
      return { index: "posts_by_status", condition: eq(posts.status, status) };
  }
}

/**
 * Cancels what has not started of an unfinished post (T15) and, if nothing had started, gives its count back to its
 * month. Finished posts and drafts are left alone. Returns the post as it is then.
 */
export async function cancelPost(
  db: Database,
  workspaceId: string,
  id: string,
): Promise<PostWithDeliveries | undefined> {
  const isOfPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id));
  const givenBack = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled'
    AND ${posts.countedMonth} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isOfPost} AND ${deliveries.startedAt} IS NOT NULL))`;
  const results = await db.batch([
    db
      .update(posts)
      .set({ cancelledAt: NOW, rev: sql`${posts.rev} + 1`, updatedAt: NOW })
      .where(and(isPost(workspaceId, id), eq(posts.status, "scheduled"), isNull(posts.cancelledAt))),
    db
      .update(deliveries)
      // No session may take this version for its own.
      .set({ state: "cancelled", nextAt: null, ver: sql`${deliveries.ver} + 1`, session: null })
      .where(
        and(
          isOfPost,
          eq(deliveries.ambiguous, false),
          inArray(deliveries.state, UNSENT),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      ),
    ...refreshPostStatus(db, workspaceId, id),
    db
      .update(usageMonths)
      .set({ posts: sql`${usageMonths.posts} - 1` })
      .where(
        and(
          eq(usageMonths.workspaceId, workspaceId),
          sql`${usageMonths.month} = (SELECT ${posts.countedMonth} FROM ${posts} WHERE ${isPost(workspaceId, id)})`,
          givenBack,
        ),
      ),
    db
      .update(posts)
      .set({ countedMonth: null })
      .where(and(isPost(workspaceId, id), givenBack)),
    db
      .update(idempotencyKeys)
      .set({ expiresAt: sql`${NOW} + ${IDEMPOTENCY_TOMBSTONE_MS}` })
      .where(
        and(
          eq(idempotencyKeys.workspaceId, workspaceId),
          eq(idempotencyKeys.key, keyOf(workspaceId, id)),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled')`,
        ),
      ),
    selectPost(db, workspaceId, id),
  ]);
  return results[8].map(withDeliveries)[0];
}

/** Discards a draft; its idempotency key stays as a tombstone. Returns whether there was one. */
export async function discardDraft(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const isDraft = and(isPost(workspaceId, id), eq(posts.status, "draft"));
  const wasDraft = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isDraft})`;
  const [, , , rows] = await db.batch([
    db
      .update(idempotencyKeys)
      .set({ expiresAt: sql`${NOW} + ${IDEMPOTENCY_TOMBSTONE_MS}` })
      .where(
        and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, keyOf(workspaceId, id)), wasDraft),
      ),
    ...dropFiles(db, workspaceId, id, wasDraft),
    db.delete(posts).where(isDraft).returning({ id: posts.id }),
  ]);
  return rows.length === 1;
}
