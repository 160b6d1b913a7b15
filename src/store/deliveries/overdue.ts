// Finds late deliveries in all workspaces of a database, for the sweeper and for health. Two limited searches find them. One
// reads the posts that came due most recently. The other goes through all lanes, a page at a time.
import { and, asc, desc, eq, exists, lte, type SQLWrapper, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/sqlite-core";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { channels, deliveries, posts } from "../db/schema.ts";
import type { Lane } from "./due.ts";
import { recoverableAt, type SendTimeouts } from "./open-send.ts";

/**
 * True of the posts in the index by time. The status is written into the SQL instead of bound as a parameter, because SQLite
 * uses the index only then.
 */
export const isUnfinished = sql`${posts.status} = 'scheduled'`;

/** What is late: due for more than `graceMs`, with no call that may still be in progress. */
export interface Lateness {
  graceMs: number;
  sendTimeoutsMs: SendTimeouts;
}

/** True of a late delivery. */
const isLate = ({ graceMs, sendTimeoutsMs }: Lateness) => {
  const lateSince = sql`${NOW} - ${graceMs}`;
  const recoverAt = recoverableAt(deliveries, sql`${JSON.stringify(sendTimeoutsMs)}`);
  return and(
    lte(deliveries.nextAt, lateSince),
    sql`(${deliveries.state} <> 'sending' OR ${recoverAt} <= ${lateSince})`,
  );
};
/** True of a channel that its network has not asked to pause. */
const mayPublish = (notBefore: SQLWrapper) => sql`(${notBefore} IS NULL OR ${notBefore} <= ${NOW})`;
const laneChannels = alias(channels, "found");

/**
 * Lanes with late deliveries, among the `limit` unfinished posts that most recently came due.
 */
export async function latestLateLanes(db: Database, lateness: Lateness, limit: number): Promise<Lane[]> {
  const latest = db
    .select({ workspaceId: posts.workspaceId, id: posts.id })
    .from(posts)
    .where(and(isUnfinished, lte(posts.dueAt, sql`${NOW} - ${lateness.graceMs}`)))
    .orderBy(desc(posts.dueAt))
    .limit(limit)
    .as("latest");
  // SQLite does not reorder cross joins, so the query starts at the latest posts.
  return db
    .selectDistinct({ workspaceId: channels.workspaceId, lane: channels.lane })
    .from(latest)
    .crossJoin(deliveries)
    .crossJoin(channels)
    .where(
      and(
        eq(deliveries.workspaceId, latest.workspaceId),
        eq(deliveries.postId, latest.id),
        isLate(lateness),
        eq(channels.workspaceId, deliveries.workspaceId),
        eq(channels.id, deliveries.channelId),
        mayPublish(channels.notBefore),
      ),
    );
}

/**
 * Finds the lanes with late deliveries among the next `limit` lanes after `after` (null: from the first lane). `next` is the
 * position for the next call; null if no lanes are left.
 */
export async function lateLanesAfter(
  db: Database,
  after: Lane | null,
  lateness: Lateness,
  limit: number,
): Promise<{ lanes: Lane[]; next: Lane | null }> {
  const { workspaceId, lane } = after ?? { workspaceId: "", lane: 0 };
  const selectLanes = () =>
    db
      .selectDistinct({ workspaceId: channels.workspaceId, lane: channels.lane })
      .from(channels)
      .where(sql`(${channels.workspaceId}, ${channels.lane}) > (${workspaceId}, ${lane})`)
      .orderBy(asc(channels.workspaceId), asc(channels.lane));
  const page = selectLanes().limit(limit).as("page");
  // The index has every column of these conditions except `notBefore`, which is read only for channels with late deliveries.
  const late = db
    .select({ id: channels.id })
    .from(channels)
    .crossJoin(deliveries)
    .crossJoin(laneChannels)
    .where(
      and(
        eq(channels.workspaceId, page.workspaceId),
        eq(channels.lane, page.lane),
        eq(deliveries.workspaceId, channels.workspaceId),
        eq(deliveries.channelId, channels.id),
        isLate(lateness),
        eq(laneChannels.workspaceId, channels.workspaceId),
        eq(laneChannels.id, channels.id),
        mayPublish(laneChannels.notBefore),
      ),
    );
  const {
    lanes,
    last: [last],
  } = await batch(db, {
    lanes: db.select({ workspaceId: page.workspaceId, lane: page.lane }).from(page).where(exists(late)),
    last: selectLanes()
      .limit(1)
      .offset(limit - 1),
  });
  return { lanes, next: last ?? null };
}

/** The count reads this many of the longest waiting unfinished posts, and as many that came due most recently. */
const COUNTED_MAX = 1_000;

/**
 * How many deliveries are late, and by how many milliseconds the oldest is late. Counts the deliveries
 * of the thousand longest waiting unfinished posts and of the thousand that came due most recently. A delivery is not late
 * while its network asks for a pause. `bytes`: the size of the database, if the database reports it.
 */
export async function overdueWork(
  db: Database,
  lateness: Lateness,
): Promise<{ overdue: number; oldestMs: number; bytes: number | null }> {
  const ends = [asc(posts.dueAt), desc(posts.dueAt)].map(
    (order) =>
      sql`SELECT * FROM (${db
        .select({ workspaceId: posts.workspaceId, id: posts.id })
        .from(posts)
        .where(and(isUnfinished, lte(posts.dueAt, sql`${NOW} - ${lateness.graceMs}`)))
        .orderBy(order)
        .limit(COUNTED_MAX)})`,
  );
  const counted = db
    .select({ overdue: sql<number>`COUNT(*)`, oldestMs: sql<number>`COALESCE(${NOW} - MIN(${deliveries.nextAt}), 0)` })
    .from(sql`(${sql.join(ends, sql` UNION `)}) AS looked`)
    .crossJoin(deliveries)
    .leftJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
    .where(
      and(
        sql`${deliveries.workspaceId} = looked.workspace_id AND ${deliveries.postId} = looked.id`,
        isLate(lateness),
        mayPublish(channels.notBefore),
      ),
    );
  // Only `run` returns D1's metadata, which has the size of the database.
  const {
    rows: [row],
    said,
  } = await batch(db, { rows: counted, said: db.run(sql`SELECT 1`) });
  const { overdue = 0, oldestMs = 0 } = row ?? {};
  return { overdue, oldestMs, bytes: said.meta.size_after ?? null };
}
