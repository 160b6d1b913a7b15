// Taking a channel and its next due delivery. Whoever holds a lease is judged by the database's clock alone.
import { and, eq, getTableColumns, lte, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import { type Database, NOW } from "./db.ts";
import { type DeliveryRow, isChannel, LEASE_FRESH_MS, LEASE_MS } from "./deliveries.ts";
import { given } from "./given.ts";
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

/** A hand that asks for a channel's next delivery. */
export interface Want {
  workspaceId: string;
  channelId: string;
  holder: string;
}
/** A hand with the post whose delivery it has just ended; null: it looks for all that dead hands hold of its channel. */
interface WantAfter extends Want {
  after: string | null;
}

const givenWants = (wants: WantAfter[]) =>
  given(
    ["workspace", "channel", "holder", "after"],
    wants.map(({ workspaceId, channelId, holder, after }) => ({
      workspace: workspaceId,
      channel: channelId,
      holder,
      after,
    })),
  );

const isDue = lte(deliveries.nextAt, NOW);
const mayPublish = sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`;

/**
 * The statements by which each of `wants` takes the lease of its channel and claims its next due delivery (T2); deliveries
 * whose holder died come back first (T8, T14). With nothing due, or with the lease in another hand, nothing is held
 * afterwards. What their results mean, `readClaims` says. No two wants are for one channel.
 */
export function claimStatements(db: Database, wants: WantAfter[]) {
  const wanted = givenWants(wants);
  const afresh = givenWants(wants.filter(({ after }) => after === null));
  const further = givenWants(wants.filter(({ after }) => after !== null));
  const [workspace, channel, holder] = [wanted.column("workspace"), wanted.column("channel"), wanted.column("holder")];
  const isWanted = and(eq(channels.workspaceId, workspace), eq(channels.id, channel));
  const onWanted = and(eq(deliveries.workspaceId, workspace), eq(deliveries.channelId, channel));
  const isHeld = sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${and(
    isWanted,
    eq(channels.leaseHolder, holder),
    sql`${channels.leaseUntil} > ${NOW}`,
    mayPublish,
  )})`;
  const mine = and(onWanted, isDue, eq(deliveries.leaseHolder, holder), sql`${deliveries.leaseUntil} > ${NOW}`);
  // It holds one at most: the search ends with it.
  const myPosts = sql`(SELECT ${workspace}, (SELECT ${deliveries.postId} FROM ${deliveries} WHERE ${mine} LIMIT 1)
    FROM ${wanted.table})`;

  const lease = db
    .update(channels)
    .set({ leaseHolder: sql`${holder}`, leaseUntil: sql`${NOW} + ${LEASE_MS}` })
    .from(wanted.table)
    .where(
      and(
        isWanted,
        sql`(${channels.leaseUntil} IS NULL OR ${channels.leaseUntil} <= ${NOW}
          OR (${channels.leaseHolder} = ${holder} AND ${channels.leaseUntil} < ${NOW} + ${LEASE_MS - LEASE_FRESH_MS}))`,
        mayPublish,
        sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${and(onWanted, isDue)})`,
      ),
    );
  const recovered = {
    state: sql`CASE WHEN ${deliveries.state} = 'processing' THEN 'processing'
      WHEN ${deliveries.state} = 'sending' OR ${deliveries.ambiguous} THEN 'uncertain' ELSE 'pending' END`,
    ambiguous: sql`${deliveries.ambiguous} OR ${deliveries.state} = 'sending'`,
    leaseHolder: null,
    leaseUntil: null,
    ver: sql`${deliveries.ver} + 1`,
  };
  const recover = db
    .update(deliveries)
    .set(recovered)
    .from(afresh.table)
    .where(
      and(
        onWanted,
        isDue,
        // A hand holds one delivery at a time: what it still holds when it asks for the next, it has lost.
        sql`(${deliveries.leaseHolder} = ${holder}
          OR ${deliveries.state} IN ('claimed', 'staged', 'sending') AND ${deliveries.leaseUntil} <= ${NOW})`,
        isHeld,
      ),
    );
  const recoverLast = db
    .update(deliveries)
    .set(recovered)
    .from(further.table)
    .where(and(onWanted, eq(deliveries.postId, further.column("after")), eq(deliveries.leaseHolder, holder), isHeld));
  // By the time that was promised, also when some had to wait for the network; a long queue is looked at from its head.
  const head = sql`(SELECT ${deliveries.postId} AS post, ${deliveries.scheduledFor} AS promised FROM ${deliveries} WHERE ${and(
    onWanted,
    isDue,
    sql`${deliveries.state} IN ('pending', 'retry_wait', 'staged', 'uncertain', 'processing')`,
    sql`(${deliveries.leaseUntil} IS NULL OR ${deliveries.leaseUntil} <= ${NOW})`,
  )} ORDER BY ${deliveries.nextAt}, ${deliveries.postId} LIMIT ${QUEUE_HEAD})`;
  const claim = db
    .update(deliveries)
    .set({
      state: sql`CASE WHEN ${deliveries.state} IN ('uncertain', 'processing') THEN ${deliveries.state} ELSE 'claimed' END`,
      fence: sql`${deliveries.fence} + 1`,
      ver: sql`${deliveries.ver} + 1`,
      leaseHolder: sql`${holder}`,
      leaseUntil: sql`${NOW} + ${LEASE_MS}`,
      startedAt: sql`COALESCE(${deliveries.startedAt}, ${NOW})`,
    })
    .from(wanted.table)
    .where(
      and(onWanted, eq(deliveries.postId, sql`(SELECT post FROM ${head} ORDER BY promised, post LIMIT 1)`), isHeld),
    )
    .returning({ ...getTableColumns(deliveries), now: NOW });
  const post = db.select().from(posts).where(sql`(${posts.workspaceId}, ${posts.id}) IN ${myPosts}`);
  const channelRows = db
    .select()
    .from(channels)
    .where(sql`(${channels.workspaceId}, ${channels.id}) IN (SELECT ${workspace}, ${channel} FROM ${wanted.table})`);
  const files = db
    .select({ ...getTableColumns(media), postId: mediaUses.postId })
    .from(mediaUses)
    .innerJoin(media, and(eq(mediaUses.workspaceId, media.workspaceId), eq(mediaUses.mediaId, media.id)))
    .where(sql`(${mediaUses.workspaceId}, ${mediaUses.postId}) IN ${myPosts}`);
  const release = db
    .update(channels)
    .set({ leaseHolder: null, leaseUntil: null })
    .from(wanted.table)
    .where(
      and(isWanted, eq(channels.leaseHolder, holder), sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${mine})`),
    );
  const upcoming = db
    .select({
      workspaceId: sql<string>`${workspace}`,
      channelId: sql<string>`${channel}`,
      // What a dead hand still holds is due and cannot be had: ringing for it would be ringing without end. The sweeper
      // finds it.
      nextAt: sql<number | null>`(SELECT ${deliveries.nextAt} FROM ${deliveries} WHERE ${onWanted}
        AND ${deliveries.nextAt} IS NOT NULL AND (${deliveries.leaseUntil} IS NULL OR ${deliveries.leaseUntil} <= ${NOW})
        ORDER BY ${deliveries.nextAt} LIMIT 1)`,
      now: NOW,
    })
    .from(wanted.table);
  return [lease, recover, recoverLast, claim, post, channelRows, files, release, upcoming] as const;
}

type ClaimRows = BatchResponse<ReturnType<typeof claimStatements>>;

/** What the statements of `claimStatements` found, in the order of `wants`. */
export function readClaims(
  wants: Want[],
  [, , , claimed, postRows, channelRows, files, , upcoming]: ClaimRows,
): ClaimResult[] {
  return wants.map(({ workspaceId, channelId, holder }): ClaimResult => {
    const isHere = (row: { workspaceId: string; channelId: string }) =>
      row.workspaceId === workspaceId && row.channelId === channelId;
    const row = claimed.find(isHere);
    const channel = channelRows.find((one) => one.workspaceId === workspaceId && one.id === channelId);
    const post = postRows.find((one) => one.workspaceId === workspaceId && one.id === row?.postId);
    if (row !== undefined && post !== undefined && channel !== undefined) {
      const { now, ...delivery } = row;
      const ofPost = files.filter((file) => file.workspaceId === workspaceId && file.postId === post.id);
      const media = ofPost.map(({ postId: _, ...file }) => file);
      return { is: "claimed", claim: { delivery, post, channel, media, now } };
    }
    const next = upcoming.find(isHere);
    if (next === undefined || next.nextAt === null) return { is: "nothing", nextAt: null };
    const { now } = next;
    // Another hand that is at work looks for what comes next itself; if it dies, the sweeper does.
    const elsewhere = channel !== undefined && channel.leaseHolder !== null && channel.leaseHolder !== holder;
    if (elsewhere && (channel.leaseUntil ?? 0) > now) return { is: "nothing", nextAt: null };
    return { is: "nothing", nextAt: Math.max(next.nextAt, channel?.notBefore ?? 0) };
  });
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
