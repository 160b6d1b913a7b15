// What is due and late, over all workspaces of a database: for the sweeper and for health. It is found by the time of its
// post: an index entry for each post that is unfinished instead of one for each delivery, which would be written with it.
import { and, asc, eq, lte, sql } from "drizzle-orm";
import { type Database, NOW } from "./db.ts";
import { channels, deliveries, posts } from "./schema.ts";

export interface OverdueChannel {
  workspaceId: string;
  channelId: string;
}

/** The posts that the index by time holds. What it is made for is written out, not bound: only so does it serve. */
export const isUnfinished = sql`${posts.status} = 'scheduled'`;

/** Work that nobody has in hand, and that no network asked to leave alone. */
const isLeft = sql`(${channels.leaseUntil} IS NULL OR ${channels.leaseUntil} <= ${NOW})
  AND (${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`;

/**
 * Channels of any workspace with work that has been due for `graceMs` and that nobody holds, most overdue first. Reads all
 * posts that are unfinished after their time: cross joins keep to that order.
 */
export async function overdueChannels(db: Database, graceMs: number, limit: number): Promise<OverdueChannel[]> {
  const since = sql`${NOW} - ${graceMs}`;
  return db
    .select({ workspaceId: deliveries.workspaceId, channelId: deliveries.channelId })
    .from(posts)
    .crossJoin(deliveries)
    .crossJoin(channels)
    .where(
      and(
        isUnfinished,
        lte(posts.dueAt, since),
        eq(deliveries.workspaceId, posts.workspaceId),
        eq(deliveries.postId, posts.id),
        lte(deliveries.nextAt, since),
        eq(channels.workspaceId, deliveries.workspaceId),
        eq(channels.id, deliveries.channelId),
        isLeft,
      ),
    )
    .groupBy(deliveries.workspaceId, deliveries.channelId)
    .orderBy(sql`MIN(${deliveries.nextAt})`)
    .limit(limit);
}

/** The oldest unfinished posts that are looked at for the count. */
const COUNTED_MAX = 1_000;

/**
 * How much of the work that is due by more than `graceMs` nobody does, among the thousand posts that have been unfinished the
 * longest, and the oldest of it in milliseconds. What a hand holds is being done, and what a network asked to leave alone is
 * not late by our doing.
 */
export async function overdueWork(db: Database, graceMs: number): Promise<{ overdue: number; oldestMs: number }> {
  const since = sql`${NOW} - ${graceMs}`;
  const oldest = db
    .select({ workspaceId: posts.workspaceId, id: posts.id })
    .from(posts)
    .where(and(isUnfinished, lte(posts.dueAt, since)))
    .orderBy(asc(posts.dueAt))
    .limit(COUNTED_MAX)
    .as("oldest");
  const [row] = await db
    .select({ overdue: sql<number>`COUNT(*)`, oldestMs: sql<number>`COALESCE(${NOW} - MIN(${deliveries.nextAt}), 0)` })
    .from(oldest)
    .innerJoin(deliveries, and(eq(deliveries.workspaceId, oldest.workspaceId), eq(deliveries.postId, oldest.id)))
    .leftJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
    .where(and(lte(deliveries.nextAt, since), isLeft));
  return row ?? { overdue: 0, oldestMs: 0 };
}
