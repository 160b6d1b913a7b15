// Taking a channel and its next due delivery. Whoever holds a lease is judged by the database's clock alone.
import { and, asc, eq, getTableColumns, isNotNull, lte, sql } from "drizzle-orm";
import { type Database, NOW } from "./db.ts";
import { type DeliveryRow, isChannel, LEASE_MS } from "./deliveries.ts";
import { channels, deliveries, media, mediaUses, posts } from "./schema.ts";

/** All that is needed to publish one delivery, read in the transaction that claimed it. */
export interface Claim {
  delivery: DeliveryRow;
  post: typeof posts.$inferSelect;
  channel: typeof channels.$inferSelect;
  media: (typeof media.$inferSelect)[];
  /** The database's clock at the claim. */
  now: number;
}

export type ClaimResult = { is: "claimed"; claim: Claim } | { is: "nothing"; nextAt: number | null };

/** Due deliveries of a channel among which the next one is chosen. */
const QUEUE_HEAD = 100;

const dueOn = (workspaceId: string, channelId: string) =>
  and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.channelId, channelId), lte(deliveries.nextAt, NOW));

/**
 * Takes the channel's lease for `holder` and claims its next due delivery (T2); deliveries whose holder died come back
 * first (T8, T14). With nothing due, or with the lease in another hand, nothing is held afterwards.
 */
export async function claimNext(
  db: Database,
  workspaceId: string,
  channelId: string,
  holder: string,
): Promise<ClaimResult> {
  const isHeld = sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${channels.workspaceId} = ${workspaceId}
    AND ${channels.id} = ${channelId} AND ${channels.leaseHolder} = ${holder} AND ${channels.leaseUntil} > ${NOW})`;
  const mine = and(
    dueOn(workspaceId, channelId),
    eq(deliveries.leaseHolder, holder),
    sql`${deliveries.leaseUntil} > ${NOW}`,
  );
  const myPost = db.select({ id: deliveries.postId }).from(deliveries).where(mine).limit(1);

  // By the time that was promised, also when some had to wait for the network; a long queue is looked at from its head.
  const due = db
    .select({ postId: deliveries.postId, scheduledFor: deliveries.scheduledFor })
    .from(deliveries)
    .where(
      and(
        dueOn(workspaceId, channelId),
        sql`${deliveries.state} IN ('pending', 'retry_wait', 'staged', 'uncertain', 'processing')`,
        sql`(${deliveries.leaseUntil} IS NULL OR ${deliveries.leaseUntil} <= ${NOW})`,
      ),
    )
    .orderBy(asc(deliveries.nextAt), asc(deliveries.postId))
    .limit(QUEUE_HEAD)
    .as("due");

  const lease = db
    .update(channels)
    .set({ leaseHolder: holder, leaseUntil: sql`${NOW} + ${LEASE_MS}` })
    .where(
      and(
        isChannel(workspaceId, channelId),
        sql`(${channels.leaseUntil} IS NULL OR ${channels.leaseUntil} <= ${NOW} OR ${channels.leaseHolder} = ${holder})`,
        sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`,
        sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${dueOn(workspaceId, channelId)})`,
      ),
    );
  const recover = db
    .update(deliveries)
    .set({
      state: sql`CASE WHEN ${deliveries.state} = 'processing' THEN 'processing'
        WHEN ${deliveries.state} = 'sending' OR ${deliveries.ambiguous} THEN 'uncertain' ELSE 'pending' END`,
      ambiguous: sql`${deliveries.ambiguous} OR ${deliveries.state} = 'sending'`,
      leaseHolder: null,
      leaseUntil: null,
      ver: sql`${deliveries.ver} + 1`,
    })
    .where(
      and(
        dueOn(workspaceId, channelId),
        // A hand holds one delivery at a time: what it still holds when it asks for the next, it has lost.
        sql`(${deliveries.leaseHolder} = ${holder}
          OR ${deliveries.state} IN ('claimed', 'staged', 'sending') AND ${deliveries.leaseUntil} <= ${NOW})`,
        isHeld,
      ),
    );
  const claim = db
    .update(deliveries)
    .set({
      state: sql`CASE WHEN ${deliveries.state} IN ('uncertain', 'processing') THEN ${deliveries.state} ELSE 'claimed' END`,
      fence: sql`${deliveries.fence} + 1`,
      ver: sql`${deliveries.ver} + 1`,
      leaseHolder: holder,
      leaseUntil: sql`${NOW} + ${LEASE_MS}`,
      startedAt: sql`COALESCE(${deliveries.startedAt}, ${NOW})`,
    })
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        eq(deliveries.channelId, channelId),
        eq(
          deliveries.postId,
          db.select({ id: due.postId }).from(due).orderBy(asc(due.scheduledFor), asc(due.postId)).limit(1),
        ),
        isHeld,
      ),
    )
    .returning({ ...getTableColumns(deliveries), now: NOW });
  const started = db
    .update(posts)
    .set({ status: "publishing", updatedAt: NOW })
    .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, myPost), eq(posts.status, "scheduled")));
  const post = db
    .select()
    .from(posts)
    .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, myPost)));
  const channel = db.select().from(channels).where(isChannel(workspaceId, channelId));
  const files = db
    .select(getTableColumns(media))
    .from(media)
    .innerJoin(mediaUses, and(eq(mediaUses.workspaceId, media.workspaceId), eq(mediaUses.mediaId, media.id)))
    .where(and(eq(mediaUses.workspaceId, workspaceId), eq(mediaUses.postId, myPost)));
  const release = db
    .update(channels)
    .set({ leaseHolder: null, leaseUntil: null })
    .where(
      and(
        isChannel(workspaceId, channelId),
        eq(channels.leaseHolder, holder),
        sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${mine})`,
      ),
    );
  const upcoming = db
    .select({ nextAt: deliveries.nextAt, now: NOW })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        eq(deliveries.channelId, channelId),
        isNotNull(deliveries.nextAt),
        // What a dead hand still holds is due and cannot be had: ringing for it would be ringing without end. The
        // sweeper finds it.
        sql`(${deliveries.leaseUntil} IS NULL OR ${deliveries.leaseUntil} <= ${NOW})`,
      ),
    )
    .orderBy(asc(deliveries.nextAt))
    .limit(1);

  const [, , claimed, , [postRow], [channelRow], mediaRows, , [next]] = await db.batch([
    lease,
    recover,
    claim,
    started,
    post,
    channel,
    files,
    release,
    upcoming,
  ]);
  const [row] = claimed;
  if (row !== undefined && postRow !== undefined && channelRow !== undefined) {
    const { now, ...delivery } = row;
    return { is: "claimed", claim: { delivery, post: postRow, channel: channelRow, media: mediaRows, now } };
  }
  if (next === undefined || next.nextAt === null) return { is: "nothing", nextAt: null };
  const { now } = next;
  // Another hand that is at work looks for what comes next itself; if it dies, the sweeper does.
  const elsewhere = channelRow !== undefined && channelRow.leaseHolder !== null && channelRow.leaseHolder !== holder;
  if (elsewhere && (channelRow.leaseUntil ?? 0) > now) return { is: "nothing", nextAt: null };
  const wakeAt = Math.max(next.nextAt, channelRow?.notBefore ?? 0);
  return { is: "nothing", nextAt: wakeAt };
}

/** Lets go of a channel that `holder` holds, so that the next hand need not wait for the lease to run out. */
export async function releaseChannel(
  db: Database,
  workspaceId: string,
  channelId: string,
  holder: string,
): Promise<void> {
  await db
    .update(channels)
    .set({ leaseHolder: null, leaseUntil: null })
    .where(and(isChannel(workspaceId, channelId), eq(channels.leaseHolder, holder)));
}
