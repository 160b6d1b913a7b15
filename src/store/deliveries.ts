// The delivery machine's writes. Each is guarded by state, version, fence and lease, judged by the database's clock; a
// guard that does not hold changes nothing, and whoever sees that stops.
import { and, eq, inArray, sql } from "drizzle-orm";
import { UNSENT } from "../domain/delivery.ts";
import { type Database, type In, NOW } from "./db.ts";
import { isDelivery } from "./delivery-key.ts";
import { given } from "./given.ts";
import { cellsOf, HOLD_COLUMNS, type Hold, holdIn, isAsHeld, isLeased, isMine, isOf, traceOf } from "./hold.ts";
import { refreshPostStatus } from "./post-status.ts";
import { channels, deliveries, posts } from "./schema.ts";

/** How long a channel is held without a sign of life. */
export const LEASE_MS = 300_000;
/** A lease that was taken so recently is not written anew. */
export const LEASE_FRESH_MS = 30_000;
/** How much longer than its call a lease lasts (reliability T4: timeout + 60 s). */
const SEND_MARGIN_MS = 60_000;

export type DeliveryRow = typeof deliveries.$inferSelect;
export const isChannel = (workspaceId: string, channelId: string) =>
  and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
/** Makes a sealed token durable and extends the lease (T3). Returns whether the delivery was still ours. */
export async function saveToken(db: Database, hold: Hold, token: string): Promise<boolean> {
  const [, rows] = await db.batch([
    db
      .update(channels)
      .set({ leaseUntil: sql`${NOW} + ${LEASE_MS}` })
      .where(and(isLeased(hold), sql`${channels.leaseUntil} > ${NOW}`)),
    db
      .update(deliveries)
      .set({ state: "staged", netToken: token, ...traceOf(hold) })
      .where(and(isMine(hold), inArray(deliveries.state, UNSENT)))
      .returning({ ver: deliveries.ver }),
  ]);
  return rows.length === 1;
}

/** A send that is about to be made. */
export interface Ahead {
  hold: Hold;
  /** Sealed. */
  token: string;
  payloadHash: string;
  sendTimeoutMs: number;
}

/**
 * Writes ahead that irrevocable calls are about to be made, each with its token (T4, T11), if the delivery is still ours,
 * its post not cancelled and its channel connected. Returns for each the instant of the send by the database's clock, or
 * null: do not send.
 */
export async function writeAheadAll(db: Database, sends: Ahead[]): Promise<(number | null)[]> {
  const rows = sends.map(({ hold, token, payloadHash, sendTimeoutMs }) => {
    const needed = sendTimeoutMs + SEND_MARGIN_MS;
    const lease = Math.max(LEASE_MS, needed);
    return {
      ...cellsOf(hold),
      token,
      hash: payloadHash,
      needed,
      lease,
      enough: Math.max(needed, lease - LEASE_FRESH_MS),
    };
  });
  const ahead = given([...HOLD_COLUMNS, "token", "hash", "needed", "lease", "enough"], rows);
  const hold = holdIn(ahead);
  const { workspaceId, postId } = hold.key;
  const [, written] = await db.batch([
    db
      .update(channels)
      .set({ leaseUntil: sql`${NOW} + ${ahead.column("lease")}` })
      .from(ahead.table)
      .where(
        and(
          isLeased(hold),
          sql`${channels.leaseUntil} > ${NOW} AND ${channels.leaseUntil} < ${NOW} + ${ahead.column("enough")}`,
        ),
      ),
    db
      .update(deliveries)
      .set({
        state: "sending",
        sentAt: NOW,
        attempts: sql`${deliveries.attempts} + 1`,
        sends: sql`json_insert(${deliveries.sends}, '$[#]', json_object('fence', ${hold.fence},
          'payload_hash', ${ahead.column("hash")}, 'sent_at', ${NOW}))`,
        netToken: sql`${ahead.column("token")}`,
        ...traceOf(hold),
      })
      .from(ahead.table)
      .where(
        and(
          isAsHeld(
            hold,
            sql`${channels.leaseUntil} >= ${NOW} + ${ahead.column("needed")}
              AND ${channels.credential} IS NOT NULL AND ${channels.removedAt} IS NULL`,
          ),
          inArray(deliveries.state, [...UNSENT, "uncertain"]),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NULL)`,
        ),
      )
      .returning({
        workspaceId: deliveries.workspaceId,
        postId: deliveries.postId,
        channelId: deliveries.channelId,
        sentAt: deliveries.sentAt,
      }),
  ]);
  return sends.map(({ hold }) => written.find(isOf(hold.key))?.sentAt ?? null);
}

/** The sends of a delivery once the last of them is answered. */
export const answered = (outcome: In<string>, detail: In<string | null>) =>
  sql`json_set(${deliveries.sends}, '$[#-1].answered_at', ${NOW}, '$[#-1].outcome', ${outcome}, '$[#-1].detail', ${detail})`;

/** After a parsed refusal of the access token: the send is answered, and a new fence may send once more. */
export async function reopen(db: Database, hold: Hold, detail: string): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({
      state: sql`CASE WHEN ${deliveries.ambiguous} THEN 'uncertain' ELSE 'staged' END`,
      sends: answered("stale", detail),
      fence: hold.fence + 1,
      ver: hold.ver + 1,
    })
    .where(and(isMine(hold), eq(deliveries.state, "sending")))
    .returning({ ver: deliveries.ver });
  return rows.length === 1;
}

/**
 * A delivery whose post was cancelled before anything was sent (T15). A lease that ran out meanwhile does not matter: the
 * delivery is as it was seen.
 */
export async function cancelUnsent(db: Database, hold: Hold): Promise<void> {
  const { workspaceId, postId } = hold.key;
  await db.batch([
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAt: null, ver: hold.ver + 1 })
      .where(
        and(
          isAsHeld(hold),
          inArray(deliveries.state, UNSENT),
          eq(deliveries.ambiguous, false),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      ),
    ...refreshPostStatus(db, workspaceId, postId),
  ]);
}

/** Whether a delivery that nobody else has had since may not be sent because its channel is not connected. */
export async function isDisconnected(db: Database, hold: Hold): Promise<boolean> {
  const { workspaceId, channelId } = hold.key;
  const [[row], [channel]] = await db.batch([
    db.select({ ver: deliveries.ver }).from(deliveries).where(isAsHeld(hold)),
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
  ]);
  return row !== undefined && channel === undefined;
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
        checkAt: null,
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
