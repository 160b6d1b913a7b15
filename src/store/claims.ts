// Taking a channel and its next due delivery. Whoever holds a lease is judged by the database's clock alone; of the delivery
// itself nothing is written until its hand has something to write (-> hold.ts).
import { and, eq, lte, ne, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import { cell, type Database, NOW, rowCell } from "./db.ts";
import { type DeliveryRow, isChannel, LEASE_FRESH_MS, LEASE_MS } from "./deliveries.ts";
import { given } from "./given.ts";
import type { Hold } from "./hold.ts";
import { channels, deliveries, media, mediaUses, posts } from "./schema.ts";

/** All that is needed to publish one delivery, read in one statement under the lease of its channel. */
export interface Claim {
  delivery: DeliveryRow;
  post: typeof posts.$inferSelect;
  channel: typeof channels.$inferSelect;
  media: (typeof media.$inferSelect)[];
  /** The database's clock at the claim. */
  now: number;
}

/** The hold of the hand that begins on what it has claimed. */
export function holdOf({ delivery, now }: Claim, holder: string): Hold {
  const { workspaceId, postId, channelId, fence, ver } = delivery;
  return { key: { workspaceId, postId, channelId }, holder, fence: fence + 1, ver, since: now };
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
/** Whether the hand comes anew, and looks for what dead hands left of its channel, or has just ended a delivery of it. */
interface WantAnew extends Want {
  anew: boolean;
}

const givenWants = (wants: WantAnew[]) =>
  given(
    ["workspace", "channel", "holder"],
    wants.map(({ workspaceId, channelId, holder }) => ({ workspace: workspaceId, channel: channelId, holder })),
  );

/** What there is to do on a channel. */
interface Chosen {
  delivery: DeliveryRow | null;
  post: typeof posts.$inferSelect | null;
}

const isDue = lte(deliveries.nextAt, NOW);
/** True of what a hand can take up. What a hand that has gone was sending becomes doubt first, for whoever comes anew. */
const isFree = and(isDue, ne(deliveries.state, "sending"));
const mayPublish = sql`(${channels.notBefore} IS NULL OR ${channels.notBefore} <= ${NOW})`;

const [deliveryCell, postCell, channelCell, mediaCell] = [
  rowCell(deliveries),
  rowCell(posts),
  rowCell(channels),
  rowCell(media),
];

/**
 * The statements by which each of `wants` takes the lease of its channel and the next due delivery of it (T2); what dead
 * hands had sent becomes doubt first (T8). With nothing due, or with the lease in another hand, nothing is held afterwards.
 * What their results mean, `readClaims` says. No two wants are for one channel.
 */
export function claimStatements(db: Database, wants: WantAnew[]) {
  const wanted = givenWants(wants);
  const anew = givenWants(wants.filter(({ anew }) => anew));
  const [workspace, channel, holder] = [wanted.column("workspace"), wanted.column("channel"), wanted.column("holder")];
  const isWanted = and(eq(channels.workspaceId, workspace), eq(channels.id, channel));
  const onWanted = and(eq(deliveries.workspaceId, workspace), eq(deliveries.channelId, channel));
  const isHeld = sql`(${channels.leaseHolder} = ${holder} AND ${channels.leaseUntil} > ${NOW} AND ${mayPublish})`;

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
  const recover = db
    .update(deliveries)
    .set({ state: "uncertain", ambiguous: true, ver: sql`${deliveries.ver} + 1` })
    .from(anew.table)
    .where(
      and(
        onWanted,
        isDue,
        eq(deliveries.state, "sending"),
        sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${isWanted} AND ${isHeld})`,
      ),
    );
  // Before the choice: what comes due in between is not held by a hand that has not seen it.
  const release = db
    .update(channels)
    .set({ leaseHolder: null, leaseUntil: null })
    .from(wanted.table)
    .where(
      and(
        isWanted,
        eq(channels.leaseHolder, holder),
        sql`NOT (${mayPublish} AND EXISTS (SELECT 1 FROM ${deliveries} WHERE ${and(onWanted, isFree)}))`,
      ),
    );
  // By the time that was promised, also when some had to wait for the network; a long queue is looked at from its head.
  const head = sql`(SELECT ${deliveries.postId} AS post, ${deliveries.scheduledFor} AS promised FROM ${deliveries}
    WHERE ${and(onWanted, isFree)} ORDER BY ${deliveries.nextAt}, ${deliveries.postId} LIMIT ${QUEUE_HEAD})`;
  const next = sql`CASE WHEN ${isHeld} THEN (SELECT post FROM ${head} ORDER BY promised, post LIMIT 1) END`;
  const files = sql`(SELECT json_group_array(${mediaCell.array}) FROM ${mediaUses}
    JOIN ${media} ON ${mediaUses.workspaceId} = ${media.workspaceId} AND ${mediaUses.mediaId} = ${media.id}
    WHERE ${mediaUses.workspaceId} = ${posts.workspaceId} AND ${mediaUses.postId} = ${posts.id})`;
  const chosen = (array: SQL) => sql`CASE WHEN ${posts.id} IS NOT NULL THEN ${array} END`;
  const choose = db
    .select({
      workspaceId: sql<string>`${workspace}`.as("workspace"),
      channelId: sql<string>`${channel}`.as("channel"),
      now: NOW.as("now"),
      of: cell(channelCell.array, channelCell.read).as("of"),
      delivery: cell(chosen(deliveryCell.array), (cells: unknown[][]): Chosen["delivery"] =>
        deliveryCell.read(cells),
      ).as("delivery"),
      post: cell(chosen(postCell.array), (cells: unknown[][]): Chosen["post"] => postCell.read(cells)).as("post"),
      media: cell(files, (list: unknown[][][]) => list.map((cells) => mediaCell.read(cells))).as("media"),
      nextAt: sql<number | null>`CASE WHEN ${posts.id} IS NULL THEN (SELECT MIN(due.next_at) FROM ${deliveries} AS due
        WHERE due.workspace_id = ${workspace} AND due.channel_id = ${channel} AND due.next_at IS NOT NULL) END`.as(
        "upcoming",
      ),
    })
    .from(wanted.table)
    .innerJoin(channels, isWanted)
    .leftJoin(deliveries, and(onWanted, eq(deliveries.postId, next)))
    .leftJoin(posts, and(eq(posts.workspaceId, deliveries.workspaceId), eq(posts.id, deliveries.postId)));
  return [lease, recover, release, choose] as const;
}

type ClaimRows = BatchResponse<ReturnType<typeof claimStatements>>;

/** What the statements of `claimStatements` found, in the order of `wants`. */
export function readClaims(wants: Want[], [, , , found]: ClaimRows): ClaimResult[] {
  return wants.map(({ workspaceId, channelId, holder }): ClaimResult => {
    const row = found.find((one) => one.workspaceId === workspaceId && one.channelId === channelId);
    if (row === undefined) return { is: "nothing", nextAt: null };
    const { now, of: channel, delivery, post, media, nextAt } = row;
    if (delivery !== null && post !== null) return { is: "claimed", claim: { delivery, post, channel, media, now } };
    // Another hand that is at work looks for what comes next itself; if it dies, the sweeper does.
    const elsewhere = channel.leaseHolder !== null && channel.leaseHolder !== holder && (channel.leaseUntil ?? 0) > now;
    if (nextAt === null || elsewhere) return { is: "nothing", nextAt: null };
    return { is: "nothing", nextAt: Math.max(nextAt, channel.notBefore ?? 0) };
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
