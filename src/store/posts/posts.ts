// Reads posts with their deliveries.
import { and, eq, getTableColumns, type SQL, sql } from "drizzle-orm";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import { PAGE_BYTES_MAX } from "../../domain/limits.ts";
import type { Measured } from "../../domain/metrics.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { ask, type Statements, toStatements } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { fromJson, rowAsJson } from "../db/row-as-json.ts";
import { deliveries, measurements, posts } from "../db/schema.ts";
import type { DeliveryRow } from "../deliveries/due.ts";
import { type FollowUpRow, followUpsJson } from "../deliveries/follow-up-rows.ts";
import { threadPartsJson } from "../deliveries/thread-part-rows.ts";
import { type MeasurementCells, measuredIn, measurementArray } from "../metrics.ts";
import { bytesListed } from "./listed-bytes.ts";
import { shownStatus } from "./status.ts";

type PostRow = Omit<typeof posts.$inferSelect, "status" | "words" | "decided"> & { status: PostStatus };
/** A delivery with its follow-ups and its network's latest figures; null: none yet. */
export interface MeasuredDelivery extends DeliveryRow {
  /** Its published parts; none, unless it is a thread. */
  threadParts: LiveThreadPart[];
  followUps: FollowUpRow[];
  measured: Measured | null;
}
export interface PostWithDeliveries {
  post: PostRow;
  deliveries: MeasuredDelivery[];
}

const deliveryJson = rowAsJson(deliveries);
const ofPost = and(eq(deliveries.workspaceId, posts.workspaceId), eq(deliveries.postId, posts.id));
// Only for published deliveries: others have no figures and no follow-ups.
const measured = sql`json(CASE WHEN ${deliveries.publishedAt} IS NOT NULL THEN (SELECT ${measurementArray} FROM ${measurements}
  WHERE ${measurements.workspaceId} = ${deliveries.workspaceId} AND ${measurements.postId} = ${deliveries.postId}
    AND ${measurements.channelId} = ${deliveries.channelId}) END)`;
const followed = sql`json(CASE WHEN ${deliveries.publishedAt} IS NOT NULL THEN ${followUpsJson.array} END)`;
type DeliveryCells = [
  row: unknown[][],
  figures: MeasurementCells | null,
  work: unknown[][][] | null,
  parts: unknown[][][],
];
const { words: _words, decided: _decided, ...readColumns } = getTableColumns(posts);
const postColumns = {
  ...readColumns,
  status: shownStatus,
  // One statement reads a post with its deliveries, so both are from one moment.
  deliveries: fromJson(
    sql`(SELECT json_group_array(json_array(${deliveryJson.array}, ${measured}, ${followed}, json(${threadPartsJson.array}))) FROM ${deliveries} WHERE ${ofPost})`,
    (rows: DeliveryCells[]): MeasuredDelivery[] =>
      rows.map(([row, figures, work, parts]) => ({
        ...deliveryJson.read(row),
        threadParts: threadPartsJson.read(parts),
        followUps: followUpsJson.read(work ?? []),
        measured: figures && measuredIn(figures),
      })),
  ).as("deliveries"),
};
/** A row of `selectPost`. */
export const withDeliveries = ({
  deliveries: deliveryRows,
  ...post
}: PostRow & { deliveries: MeasuredDelivery[] }): PostWithDeliveries => ({
  post,
  deliveries: inChannelOrder(post, deliveryRows),
});

/** The deliveries of a post in the order of its channels. */
export const inChannelOrder = <Delivery extends { channelId: string }>(
  { channels }: { channels: readonly string[] },
  deliveryRows: readonly Delivery[],
): Delivery[] => deliveryRows.toSorted((a, b) => channels.indexOf(a.channelId) - channels.indexOf(b.channelId));

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
export function readPost(
  db: Database,
  workspaceId: In<string>,
  id: string,
): Statements<PostWithDeliveries | undefined> {
  return toStatements({ rows: selectPost(db, workspaceId, id) }, ({ rows }) => rows.map(withDeliveries)[0]);
}

export const getPost = (db: Database, workspaceId: string, id: string) => ask(db, readPost(db, workspaceId, id));

/** Posts with their deliveries, in no order; those that do not exist are left out. */
export async function postsByIds(db: Database, workspaceId: string, ids: string[]): Promise<PostWithDeliveries[]> {
  if (ids.length === 0) return [];
  const isAmong = sql`${posts.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`;
  return (await selectPosts(db, and(eq(posts.workspaceId, workspaceId), isAmong))).map(withDeliveries);
}

/** A post in a list, with its size there. */
export interface ListedPost extends PostWithDeliveries {
  bytes: number;
  /** Whether its words are stored for the search. An earlier release stored none. */
  hasWords: boolean;
}

/**
 * The posts of `ids` (a select) in an order. The rows end soon after `bytesMax`, but not before the second post: a
 * caller that cuts the page at the limit can tell that more posts follow.
 */
export function readPage(
  db: Database,
  workspaceId: In<string>,
  ids: SQL,
  order: SQL,
  bytesMax = PAGE_BYTES_MAX,
): Statements<ListedPost[]> {
  const bytesBefore = sql`SUM(${bytesListed}) OVER (ORDER BY ${order} ROWS BETWEEN UNBOUNDED PRECEDING AND 2 PRECEDING)`;
  const sized = sql`SELECT ${posts.id} AS id, ${bytesBefore} AS bytes_before FROM ${posts}
    WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} IN ${ids}`;
  const isOfPage = sql`${posts.id} IN (SELECT id FROM (${sized}) WHERE COALESCE(bytes_before, 0) <= ${bytesMax})`;
  const page = db
    .select({
      ...postColumns,
      bytes: bytesListed.as("bytes"),
      stored: sql<number>`${posts.words} IS NOT NULL`.as("stored"),
    })
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), isOfPage))
    .orderBy(order);
  return toStatements({ rows: page }, ({ rows }) =>
    rows.map(({ bytes, stored, ...row }) => ({ ...withDeliveries(row), bytes, hasWords: stored === 1 })),
  );
}

/** The approximate size of a page of an export: larger than a page of a list, because an export has many pages. */
const EXPORTED_BYTES_MAX = 4 * PAGE_BYTES_MAX;

/**
 * All posts of a workspace including drafts, newest first, before `before` (null: from the newest); at most `limit`.
 */
export function allPosts(
  db: Database,
  workspaceId: string,
  { before, limit }: { before: string | null; limit: number },
): Statements<ListedPost[]> {
  const isBefore = before === null ? sql`TRUE` : sql`id < ${before}`;
  const ids = sql`(SELECT id FROM posts WHERE workspace_id = ${workspaceId} AND ${isBefore} ORDER BY id DESC LIMIT ${limit})`;
  return readPage(db, workspaceId, ids, sql`${posts.id} DESC`, EXPORTED_BYTES_MAX);
}
