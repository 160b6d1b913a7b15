// What is due and late, over all workspaces of a database: for the sweeper and for health.
import { and, asc, eq, lte, sql } from "drizzle-orm";
import { type Database, NOW } from "./db.ts";
import { channels, deliveries } from "./schema.ts";

export interface OverdueChannel {
  workspaceId: string;
  channelId: string;
}

/**
 * Channels of any workspace with work that has been due for `graceMs` and that nobody holds, most overdue first.
 */
export async function overdueChannels(db: Database, graceMs: number, limit: number): Promise<OverdueChannel[]> {
  // The plus signs keep SQLite from reading all that is planned ahead, in the order of its groups, to find what is due.
  return db
    .select({ workspaceId: deliveries.workspaceId, channelId: deliveries.channelId })
    .from(deliveries)
    .innerJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
    .where(
      and(
        lte(deliveries.nextAt, sql`${NOW} - ${graceMs}`),
        sql`(${channels.leaseUntil} IS NULL OR ${channels.leaseUntil} <= ${NOW})`,
        sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`,
      ),
    )
    .groupBy(sql`+${deliveries.workspaceId}`, sql`+${deliveries.channelId}`)
    .orderBy(sql`MIN(${deliveries.nextAt})`)
    .limit(limit);
}

/** The oldest due deliveries that are looked at for the count. */
const COUNTED_MAX = 1_000;

/**
 * How much of the work that is due by more than `graceMs` nobody does, among the oldest thousand, and the oldest of it in
 * milliseconds. What a hand holds is being done, and what a network asked to leave alone is not late by our doing.
 */
export async function overdueWork(db: Database, graceMs: number): Promise<{ overdue: number; oldestMs: number }> {
  const due = db
    .select({
      workspaceId: deliveries.workspaceId,
      channelId: deliveries.channelId,
      nextAt: deliveries.nextAt,
      leaseUntil: deliveries.leaseUntil,
    })
    .from(deliveries)
    .where(lte(deliveries.nextAt, sql`${NOW} - ${graceMs}`))
    .orderBy(asc(deliveries.nextAt))
    .limit(COUNTED_MAX)
    .as("due");
  const [row] = await db
    .select({ overdue: sql<number>`COUNT(*)`, oldestMs: sql<number>`COALESCE(${NOW} - MIN(${due.nextAt}), 0)` })
    .from(due)
    .leftJoin(channels, and(eq(channels.workspaceId, due.workspaceId), eq(channels.id, due.channelId)))
    .where(
      and(
        sql`(${due.leaseUntil} IS NULL OR ${due.leaseUntil} <= ${NOW})`,
        sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`,
      ),
    );
  return row ?? { overdue: 0, oldestMs: 0 };
}
