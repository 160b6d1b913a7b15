// The delivery machine's writes. Each is guarded by state, version, fence and lease, judged by the database's clock; a
// guard that does not hold changes nothing, and whoever sees that stops.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { Transition } from "../domain/delivery.ts";
import { type Database, insertFrom, NOW } from "./db.ts";
import { refreshPostStatus } from "./post-status.ts";
import { attempts, channels, deliveries, events, posts } from "./schema.ts";

/** How long a claim holds without a sign of life. */
export const LEASE_MS = 300_000;
/** How much longer than its call a lease lasts (reliability T4: timeout + 60 s). */
const SEND_MARGIN_MS = 60_000;

export type DeliveryRow = typeof deliveries.$inferSelect;
export interface DeliveryKey {
  workspaceId: string;
  postId: string;
  channelId: string;
}

export const isChannel = (workspaceId: string, channelId: string) =>
  and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
const isDelivery = (key: DeliveryKey) =>
  and(
    eq(deliveries.workspaceId, key.workspaceId),
    eq(deliveries.postId, key.postId),
    eq(deliveries.channelId, key.channelId),
  );
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
/** True in the statements behind a write of ours that went through. */
const wrote = (hold: Hold, state: "staged" | "sending") =>
  sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${and(
    isDelivery(hold.key),
    eq(deliveries.ver, hold.ver + 1),
    eq(deliveries.fence, hold.fence),
    eq(deliveries.state, state),
  )})`;
const extendChannelLease = (db: Database, hold: Hold, condition: SQL, leaseMs = LEASE_MS) =>
  db
    .update(channels)
    .set({ leaseUntil: sql`${NOW} + ${leaseMs}` })
    .where(and(isChannel(hold.key.workspaceId, hold.key.channelId), eq(channels.leaseHolder, hold.holder), condition));

/** Makes a sealed token durable and extends the lease (T3). Returns whether the delivery was still ours. */
export async function saveToken(db: Database, hold: Hold, token: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "staged", netToken: token, leaseUntil: sql`${NOW} + ${LEASE_MS}`, ver: hold.ver + 1 })
      .where(and(isMine(hold), sql`${deliveries.state} IN ('claimed', 'staged')`))
      .returning({ ver: deliveries.ver }),
    extendChannelLease(db, hold, wrote(hold, "staged")),
  ]);
  return rows.length === 1;
}

/**
 * Writes ahead that the irrevocable call is about to be made with a sealed token (T4, T11), if the delivery is still ours, its post not
 * cancelled and its channel connected. Returns the instant of the send by the database's clock, or null: do not send.
 */
export async function writeAhead(
  db: Database,
  hold: Hold,
  token: string,
  payloadHash: string,
  sendTimeoutMs = 0,
): Promise<number | null> {
  const { workspaceId, postId, channelId } = hold.key;
  const leaseMs = Math.max(LEASE_MS, sendTimeoutMs + SEND_MARGIN_MS);
  const after = wrote(hold, "sending");
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: "sending",
        sentAt: NOW,
        attempts: sql`${deliveries.attempts} + 1`,
        netToken: token,
        leaseUntil: sql`${NOW} + ${leaseMs}`,
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
    extendChannelLease(db, hold, after, leaseMs),
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

/** A transition as it is written, its token sealed. */
export type SealedTransition = Omit<Transition, "token"> & { token?: string | null };

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
  transition: SealedTransition,
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
    ...refreshPostStatus(db, key.workspaceId, key.postId),
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
    ...refreshPostStatus(db, workspaceId, postId),
  ]);
}

/** Why a delivery that is still this hand's may not be sent; null when it is not, or there is no such reason. */
export async function whyStopped(db: Database, hold: Hold): Promise<"cancelled" | "disconnected" | null> {
  const { workspaceId, postId, channelId } = hold.key;
  const [[row], [channel], [post]] = await db.batch([
    db
      .select({ ver: deliveries.ver })
      .from(deliveries)
      .where(and(isDelivery(hold.key), eq(deliveries.ver, hold.ver), eq(deliveries.fence, hold.fence))),
    db
      .select({ id: channels.id })
      .from(channels)
      .where(
        and(
          isChannel(workspaceId, channelId),
          sql`${channels.credential} IS NOT NULL`,
          sql`${channels.removedAt} IS NULL`,
        ),
      ),
    db
      .select({ cancelledAt: posts.cancelledAt })
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId))),
  ]);
  if (row === undefined) return null;
  if (channel === undefined) return "disconnected";
  return post?.cancelledAt == null ? null : "cancelled";
}

/**
 * Makes a delivery that has failed due again, under a token of its own: nothing of the old one is out, or its owner says
 * so. Returns whether it was one that had failed (`confirmed`: also one of which nobody knows whether it is out).
 */
export async function retryFailed(db: Database, key: Hold["key"], confirmed: boolean): Promise<boolean> {
  const { workspaceId, postId } = key;
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: "retry_wait",
        ver: sql`${deliveries.ver} + 1`,
        scheduledFor: NOW,
        nextAt: NOW,
        retries: 0,
        ambiguous: false,
        netToken: null,
        error: null,
        detail: null,
      })
      .where(
        and(
          isDelivery(key),
          inArray(deliveries.state, confirmed ? ["failed", "unconfirmed"] : ["failed"]),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NULL)`,
        ),
      )
      .returning({ ver: deliveries.ver }),
    ...refreshPostStatus(db, workspaceId, postId),
  ]);
  return rows.length === 1;
}
