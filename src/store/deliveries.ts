// The delivery machine's writes. Each is guarded by state, version, fence and lease, judged by the database's clock; a
// guard that does not hold changes nothing, and whoever sees that stops.
import { and, asc, eq, getTableColumns, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { Transition } from "../domain/delivery.ts";
import type { Json } from "../domain/json.ts";
import { type Database, insertFrom, NOW } from "./db.ts";
import { refreshPostStatus } from "./post-status.ts";
import { attempts, channels, deliveries, events, media, mediaUses, posts } from "./schema.ts";

/** How long a claim holds without a sign of life. */
export const LEASE_MS = 300_000;

export type DeliveryRow = typeof deliveries.$inferSelect;
export interface DeliveryKey {
  workspaceId: string;
  postId: string;
  channelId: string;
}

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

const isChannel = (workspaceId: string, channelId: string) =>
  and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
const isDelivery = (key: DeliveryKey) =>
  and(
    eq(deliveries.workspaceId, key.workspaceId),
    eq(deliveries.postId, key.postId),
    eq(deliveries.channelId, key.channelId),
  );
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
      state: sql`CASE WHEN ${deliveries.state} = 'sending' OR ${deliveries.ambiguous} THEN 'uncertain' ELSE 'pending' END`,
      ambiguous: sql`${deliveries.ambiguous} OR ${deliveries.state} = 'sending'`,
      leaseHolder: null,
      leaseUntil: null,
      ver: sql`${deliveries.ver} + 1`,
    })
    .where(
      and(
        dueOn(workspaceId, channelId),
        sql`${deliveries.state} IN ('claimed', 'staged', 'sending')`,
        lte(deliveries.leaseUntil, NOW),
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
          db
            .select({ id: deliveries.postId })
            .from(deliveries)
            .where(
              and(
                dueOn(workspaceId, channelId),
                sql`${deliveries.state} IN ('pending', 'retry_wait', 'staged', 'uncertain', 'processing')`,
                sql`(${deliveries.leaseUntil} IS NULL OR ${deliveries.leaseUntil} <= ${NOW})`,
              ),
            )
            .orderBy(asc(deliveries.nextAt), asc(deliveries.postId))
            .limit(1),
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
    .select({ nextAt: deliveries.nextAt })
    .from(deliveries)
    .where(
      and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.channelId, channelId), isNotNull(deliveries.nextAt)),
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
  const heldUntil = channelRow?.leaseHolder === holder ? null : channelRow?.leaseUntil;
  const wakeAt = Math.max(next.nextAt, channelRow?.notBefore ?? 0, heldUntil ?? 0);
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

/** One hand on one delivery: what it may change, and only while nobody else has. */
export interface Hold {
  key: DeliveryKey;
  holder: string;
  fence: number;
  ver: number;
}

const isMine = (hold: Hold) =>
  and(
    isDelivery(hold.key),
    eq(deliveries.fence, hold.fence),
    eq(deliveries.ver, hold.ver),
    sql`${deliveries.leaseUntil} > ${NOW}`,
  );
const extendChannelLease = (db: Database, hold: Hold) =>
  db
    .update(channels)
    .set({ leaseUntil: sql`${NOW} + ${LEASE_MS}` })
    .where(and(isChannel(hold.key.workspaceId, hold.key.channelId), eq(channels.leaseHolder, hold.holder)));

/** Makes a token durable and extends the lease (T3). Returns whether the delivery was still ours. */
export async function saveToken(db: Database, hold: Hold, token: Json): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "staged", netToken: token, leaseUntil: sql`${NOW} + ${LEASE_MS}`, ver: hold.ver + 1 })
      .where(and(isMine(hold), sql`${deliveries.state} IN ('claimed', 'staged')`))
      .returning({ ver: deliveries.ver }),
    extendChannelLease(db, hold),
  ]);
  return rows.length === 1;
}

/**
 * Writes ahead that the irrevocable call is about to be made (T4, T11), if the delivery is still ours, its post not
 * cancelled and its channel connected. Returns the instant of the send by the database's clock, or null: do not send.
 */
export async function writeAhead(db: Database, hold: Hold, token: Json, payloadHash: string): Promise<number | null> {
  const { workspaceId, postId, channelId } = hold.key;
  const after: SQL = sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${and(
    isDelivery(hold.key),
    eq(deliveries.ver, hold.ver + 1),
    eq(deliveries.fence, hold.fence),
    eq(deliveries.state, "sending"),
  )})`;
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: "sending",
        sentAt: NOW,
        attempts: sql`${deliveries.attempts} + 1`,
        netToken: token,
        leaseUntil: sql`${NOW} + ${LEASE_MS}`,
        ver: hold.ver + 1,
      })
      .where(
        and(
          isMine(hold),
          sql`${deliveries.state} IN ('claimed', 'staged', 'uncertain')`,
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NULL)`,
          sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${channels.workspaceId} = ${workspaceId}
            AND ${channels.id} = ${channelId} AND ${channels.leaseHolder} = ${hold.holder}
            AND ${channels.credential} IS NOT NULL AND ${channels.removedAt} IS NULL)`,
        ),
      )
      .returning({ sentAt: deliveries.sentAt }),
    insertFrom(
      db,
      attempts,
      { workspaceId, postId, channelId, fence: hold.fence, payloadHash, sentAt: NOW },
      sql`WHERE ${after}`,
    ),
    extendChannelLease(db, hold),
  ]);
  return rows[0]?.sentAt ?? null;
}

/** After a parsed refusal of the access token: the attempt is answered, and a new fence may send once more. */
export async function reopen(db: Database, hold: Hold, detail: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: sql`CASE WHEN ${deliveries.ambiguous} THEN 'uncertain' ELSE 'claimed' END`,
        fence: hold.fence + 1,
        ver: hold.ver + 1,
      })
      .where(and(isMine(hold), eq(deliveries.state, "sending")))
      .returning({ ver: deliveries.ver }),
    answerAttempt(db, hold, "stale", detail),
  ]);
  return rows.length === 1;
}

const answerAttempt = (db: Database, hold: Hold, outcome: string, detail: string | null) =>
  db
    .update(attempts)
    .set({ answeredAt: NOW, outcome, detail })
    .where(
      and(
        eq(attempts.workspaceId, hold.key.workspaceId),
        eq(attempts.postId, hold.key.postId),
        eq(attempts.channelId, hold.key.channelId),
        eq(attempts.fence, hold.fence),
      ),
    );

export interface EventRow {
  id: string;
  event: string;
  body: string;
  createdAt: number;
}

/**
 * Writes a transition with its event and the post's new status, all or nothing. Only the holder of the present fence
 * may write, except proof that the post is live, which is taken from anybody (T10, T18). Returns whether it was written.
 */
export async function settleDelivery(
  db: Database,
  hold: Hold,
  transition: Transition,
  event: EventRow | null,
): Promise<boolean> {
  const { key } = hold;
  const proof = transition.live !== undefined;
  const guard = proof
    ? sql`${deliveries.state} NOT IN ('live', 'removed', 'cancelled', 'failed')`
    : and(eq(deliveries.ver, hold.ver), eq(deliveries.fence, hold.fence));
  const written = and(
    isDelivery(key),
    eq(deliveries.state, transition.state),
    proof ? sql`TRUE` : eq(deliveries.ver, hold.ver + 1),
  );
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: transition.state,
        ver: sql`${deliveries.ver} + 1`,
        nextAt: transition.nextAt,
        ambiguous: transition.ambiguous,
        retries: transition.retries,
        error: transition.error,
        detail: transition.detail,
        leaseHolder: null,
        leaseUntil: null,
        ...(transition.token === undefined ? {} : { netToken: transition.token }),
        ...(transition.live === undefined
          ? {}
          : {
              netPostId: transition.live.id,
              url: transition.live.url,
              urlState: transition.live.urlState,
              publishedAt: NOW,
              checkedAt: NOW,
            }),
      })
      .where(and(isDelivery(key), guard))
      .returning({ ver: deliveries.ver }),
    answerAttempt(db, hold, transition.state, transition.detail),
    // Every event carries the fence of the row as written, so that a second proof of the same thing adds none.
    insertFrom(
      db,
      events,
      {
        workspaceId: key.workspaceId,
        id: event?.id ?? "",
        event: event?.event ?? "",
        postId: key.postId,
        channelId: key.channelId,
        fence: sql`${deliveries.fence}`,
        body: event?.body ?? "",
        createdAt: event?.createdAt ?? 0,
      },
      sql`FROM ${deliveries} WHERE ${written} AND ${event !== null}`,
    ).onConflictDoNothing(),
    refreshPostStatus(db, key.workspaceId, key.postId),
    db
      .update(channels)
      .set({ notBefore: transition.channelNotBefore ?? null })
      .where(
        and(
          isChannel(key.workspaceId, key.channelId),
          eq(channels.leaseHolder, hold.holder),
          sql`${transition.channelNotBefore ?? null} IS NOT NULL`,
        ),
      ),
  ]);
  return rows.length === 1;
}

/** A claimed delivery whose post was cancelled before anything was sent (T15). */
export async function cancelClaimed(db: Database, hold: Hold): Promise<void> {
  const { workspaceId, postId } = hold.key;
  await db.batch([
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAt: null, leaseHolder: null, leaseUntil: null, ver: hold.ver + 1 })
      .where(
        and(
          isMine(hold),
          sql`${deliveries.state} IN ('claimed', 'staged')`,
          eq(deliveries.ambiguous, false),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      ),
    refreshPostStatus(db, workspaceId, postId),
  ]);
}

/** A delivery as it is now. */
export async function readDelivery(db: Database, key: DeliveryKey): Promise<DeliveryRow | undefined> {
  const [row] = await db.select().from(deliveries).where(isDelivery(key));
  return row;
}

export interface OverdueChannel {
  workspaceId: string;
  channelId: string;
}

/**
 * Channels of any workspace with work that has been due for `graceMs` and that nobody holds, most overdue first.
 */
export async function overdueChannels(db: Database, graceMs: number, limit: number): Promise<OverdueChannel[]> {
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
    .groupBy(deliveries.workspaceId, deliveries.channelId)
    .orderBy(sql`MIN(${deliveries.nextAt})`)
    .limit(limit);
}

/** How much work is overdue by more than `graceMs`, counted up to a thousand, and the oldest of it in milliseconds. */
export async function overdueWork(db: Database, graceMs: number): Promise<{ overdue: number; oldestMs: number }> {
  const due = db
    .select({ nextAt: deliveries.nextAt })
    .from(deliveries)
    .where(lte(deliveries.nextAt, sql`${NOW} - ${graceMs}`))
    .orderBy(asc(deliveries.nextAt))
    .limit(1000)
    .as("due");
  const [row] = await db
    .select({ overdue: sql<number>`COUNT(*)`, oldestMs: sql<number>`COALESCE(${NOW} - MIN(${due.nextAt}), 0)` })
    .from(due);
  return row ?? { overdue: 0, oldestMs: 0 };
}
