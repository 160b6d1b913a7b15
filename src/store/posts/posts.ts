// Posts with their deliveries, as they are read.
import { and, eq, getTableColumns, lt, type SQL, sql } from "drizzle-orm";
import { PAGE_BYTES_MAX } from "../../domain/limits.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { ask, type BatchPart, batchPart } from "../db/batch.ts";
import { type Database, type In, NOW } from "../db/db.ts";
import { fromJson, rowAsJson } from "../db/row-as-json.ts";
import { deliveries, posts } from "../db/schema.ts";
import type { DeliveryRow } from "../deliveries/due.ts";
import { hasStarted, shownStatus } from "./status.ts";

type PostRow = Omit<typeof posts.$inferSelect, "status" | "words"> & { status: PostStatus };
export interface PostWithDeliveries {
  post: PostRow;
  deliveries: DeliveryRow[];
}

const deliveryJson = rowAsJson(deliveries);
const ofPost = and(eq(deliveries.workspaceId, posts.workspaceId), eq(deliveries.postId, posts.id));
const { words: _words, ...readColumns } = getTableColumns(posts);
const postColumns = {
  ...readColumns,
  status: shownStatus,
  // One statement gives a post with its deliveries, so that both are of one moment.
  deliveries: fromJson(
    sql`(SELECT json_group_array(${deliveryJson.array}) FROM ${deliveries} WHERE ${ofPost})`,
    (rows: unknown[][][]): DeliveryRow[] => rows.map(deliveryJson.read).sort((a, b) => a.position - b.position),
  ).as("deliveries"),
};
/** A row of `selectPost`. */
export const withDeliveries = ({
  deliveries: deliveryRows,
  ...post
}: PostRow & { deliveries: DeliveryRow[] }): PostWithDeliveries => ({
  post,
  deliveries: deliveryRows,
});

export const isPost = (workspaceId: In<string>, id: string) =>
  and(eq(posts.workspaceId, workspaceId), eq(posts.id, id));

/** The statement that reads posts with their deliveries. */
export function selectPosts(db: Database, which: SQL | undefined) {
  return db.select(postColumns).from(posts).where(which);
}

/** The statement that reads a post with its deliveries. */
export const selectPost = (db: Database, workspaceId: In<string>, id: string) =>
  selectPosts(db, isPost(workspaceId, id));

/** A post with its deliveries. */
export function readPost(db: Database, workspaceId: In<string>, id: string): BatchPart<PostWithDeliveries | undefined> {
  return batchPart({ rows: selectPost(db, workspaceId, id) }, ({ rows }) => rows.map(withDeliveries)[0]);
}

export const getPost = (db: Database, workspaceId: string, id: string) => ask(db, readPost(db, workspaceId, id));

/** What a post and its deliveries take in a list, about; known without reading what is written in it. */
export const bytesListed = sql<number>`(octet_length(${posts.text}) + octet_length(${posts.media}) + octet_length(${posts.channels})
  + octet_length(${posts.overrides}) + octet_length(${posts.metadata}) + octet_length(${posts.labels}) + 1000 * (1 + json_array_length(${posts.channels})))`;

/** A post of a list, with what it takes there. */
export interface ListedPost extends PostWithDeliveries {
  bytes: number;
  /** Whether its words are stored: an earlier release stored none. */
  hasWords: boolean;
}

interface PageOfPosts {
  /** null: all but the drafts. */
  status: PostStatus | null;
  limit: number;
  /** The id below which the page begins; null: at the newest. */
  before: string | null;
}

/** A page of posts, newest first. */
export function readPosts(db: Database, workspaceId: In<string>, filter: PageOfPosts): BatchPart<ListedPost[]> {
  return readPage(db, workspaceId, newestIds(workspaceId, filter), sql`${posts.id} DESC`);
}

/**
 * The posts of `ids` (a select) in an order. It ends soon after `PAGE_BYTES_MAX`, and with the second post at the soonest: the
 * caller that cuts the page where it goes beyond sees that there are more.
 */
export function readPage(db: Database, workspaceId: In<string>, ids: SQL, order: SQL): BatchPart<ListedPost[]> {
  const bytesBefore = sql`SUM(${bytesListed}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)`;
  const sized = sql`SELECT ${posts.id} AS id, ${bytesBefore} AS bytes_before FROM ${posts}
    WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} IN ${ids}`;
  const isOfPage = sql`${posts.id} IN (SELECT id FROM (${sized}) WHERE COALESCE(bytes_before, 0) <= ${PAGE_BYTES_MAX})`;
  const page = db
    .select({
      ...postColumns,
      bytes: bytesListed.as("bytes"),
      stored: sql<number>`${posts.words} IS NOT NULL`.as("stored"),
    })
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), isOfPage))
    .orderBy(order);
  return batchPart({ rows: page }, ({ rows }) =>
    rows.map(({ bytes, stored, ...row }) => ({ ...withDeliveries(row), bytes, hasWords: stored === 1 })),
  );
}

/** The statuses of all posts but drafts, as they are stored. */
const RELEASED = ["scheduled", "published", "partially_published", "failed", "cancelled"];

/** The ids of a page of posts. */
export function newestIds(workspaceId: In<string>, { status, limit, before }: PageOfPosts): SQL {
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
