// Posts with their deliveries: creating, reading, cancelling. What happens to a delivery afterwards is in deliveries.ts.
import { and, asc, desc, eq, getTableColumns, gte, inArray, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { UNSENT } from "../domain/delivery.ts";
import { IDEMPOTENCY_TOMBSTONE_MS } from "../domain/limits.ts";
import type { PostStatus } from "../domain/post.ts";
import { type Database, insertFrom, NOW } from "./db.ts";
import type { DeliveryRow } from "./deliveries.ts";
import { canTakeFiles, dropFiles, takeFiles } from "./media-uses.ts";
import { hasStarted, refreshPostStatus, shownStatus } from "./post-status.ts";
import { channels, deliveries, idempotencyKeys, media, posts, usageMonths, workspaces } from "./schema.ts";

export type PostRow = Omit<typeof posts.$inferSelect, "status"> & { status: PostStatus };
export interface PostWithDeliveries {
  post: PostRow;
  deliveries: DeliveryRow[];
}

const postColumns = { ...getTableColumns(posts), status: shownStatus };
export const isPost = (workspaceId: string, id: string) => and(eq(posts.workspaceId, workspaceId), eq(posts.id, id));

/** How many of a workspace's newest posts are looked through for one that is the same. */
const TWINS_AMONG = 10;

/** The idempotency key that a post was made with. */
const keyOf = (workspaceId: string, id: string) =>
  sql`(SELECT ${posts.idempotencyKey} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;

/** What a post is judged with: its workspace, channels, files, the month's use, and an earlier use of its key. */
export async function readForCheck(
  db: Database,
  workspaceId: string,
  wanted: {
    channels: string[];
    media: string[];
    month: string;
    idempotencyKey: string | null;
    /** Posts of the same text among the newest, made at `since` (epoch milliseconds) or later. */
    twinsOf: { text: string; since: number; except: string | null };
  },
) {
  const newest = newestIds(workspaceId, { status: null, limit: TWINS_AMONG, before: null });
  const { text, since, except } = wanted.twinsOf;
  const oneOf = (column: typeof channels.id | typeof media.id, ids: string[]) =>
    sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  const [[workspace], channelRows, mediaRows, [use], [key], recent] = await db.batch([
    db.select().from(workspaces).where(eq(workspaces.id, workspaceId)),
    db
      .select()
      .from(channels)
      .where(
        and(eq(channels.workspaceId, workspaceId), oneOf(channels.id, wanted.channels), isNull(channels.removedAt)),
      ),
    db
      .select()
      .from(media)
      .where(and(eq(media.workspaceId, workspaceId), oneOf(media.id, wanted.media))),
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
          eq(posts.text, text),
          gte(posts.createdAt, since),
          ne(posts.status, "cancelled"),
          ne(posts.id, except ?? ""),
        ),
      ),
  ]);
  return { recent, workspace, channels: channelRows, media: mediaRows, postsUsed: use?.posts ?? 0, key };
}

export interface NewPost {
  post: typeof posts.$inferInsert & { workspaceId: string; id: string };
  deliveries: { id: string; channelId: string; platform: string }[];
  /** Every file that any channel publishes. */
  mediaUsed: string[];
  key: { key: string; fingerprint: string } | null;
  /** Posts that the month may hold; null = no limit. */
  postsMax: number | null;
}

/**
 * Writes a post, its deliveries, its count and its key in one transaction. Returns whether it was written: false at the
 * month's limit, or when a file of it has gone. Fails on `idempotency_keys.workspace_id` when the key was used meanwhile.
 */
export async function insertPost(
  db: Database,
  { post, deliveries: legs, mediaUsed, key, postsMax }: NewPost,
): Promise<boolean> {
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
        AND ${canTakeFiles(workspaceId, mediaUsed)}`,
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
  const written = db.select({ id: posts.id }).from(posts).where(isPost(workspaceId, id));
  const results = await db.batch([...statements, written]);
  return results[6].length === 1;
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
        // A hand that has read what stood here before an edit finds another version.
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

export async function getPost(db: Database, workspaceId: string, id: string): Promise<PostWithDeliveries | undefined> {
  const [[post], legs] = await db.batch([
    db.select(postColumns).from(posts).where(isPost(workspaceId, id)),
    db
      .select()
      .from(deliveries)
      .where(and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id)))
      .orderBy(asc(deliveries.position)),
  ]);
  return post && { post, deliveries: legs };
}

interface PageOfPosts {
  /** null: all but the drafts. */
  status: PostStatus | null;
  limit: number;
  /** The id below which the page begins; null: at the newest. */
  before: string | null;
}

/** A page of posts, newest first. */
export async function listPosts(db: Database, workspaceId: string, filter: PageOfPosts): Promise<PostWithDeliveries[]> {
  const pageIds = newestIds(workspaceId, filter);
  const page = await db
    .select(postColumns)
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), sql`${posts.id} IN ${pageIds}`))
    .orderBy(desc(posts.id));
  const ids = JSON.stringify(page.map((post) => post.id));
  const legs = await db
    .select()
    .from(deliveries)
    .where(
      and(eq(deliveries.workspaceId, workspaceId), sql`${deliveries.postId} IN (SELECT value FROM json_each(${ids}))`),
    )
    .orderBy(asc(deliveries.postId), asc(deliveries.position));
  const byPost = Map.groupBy(legs, (leg) => leg.postId);
  return page.map((post) => ({ post, deliveries: byPost.get(post.id) ?? [] }));
}

/** The statuses of all posts but drafts, as they are stored. */
const RELEASED = ["scheduled", "published", "partially_published", "failed", "cancelled"];

/** The ids of a page of posts. */
function newestIds(workspaceId: string, { status, limit, before }: PageOfPosts): SQL {
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
 * month. Finished posts and drafts are left alone.
 */
export async function cancelPost(db: Database, workspaceId: string, id: string): Promise<void> {
  const ofPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id));
  const givenBack = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled'
    AND ${posts.countedMonth} IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${ofPost} AND ${deliveries.startedAt} IS NOT NULL))`;
  await db.batch([
    db
      .update(posts)
      .set({ cancelledAt: NOW, rev: sql`${posts.rev} + 1`, updatedAt: NOW })
      .where(and(isPost(workspaceId, id), eq(posts.status, "scheduled"), isNull(posts.cancelledAt))),
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAt: null, ver: sql`${deliveries.ver} + 1` })
      .where(
        and(
          ofPost,
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
  ]);
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
