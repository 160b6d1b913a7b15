// The delivery machine's writes. Each is guarded by state, version, fence and lease, judged by the database's clock; a
// guard that does not hold changes nothing, and whoever sees that stops.
import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Transition } from "../domain/delivery.ts";
import { planChecks } from "./checks.ts";
import { type Database, insertFrom, NOW } from "./db.ts";
import { type DeliveryKey, type In, isDelivery } from "./delivery-key.ts";
import { type EventRow, insertEvents } from "./events.ts";
import { type Given, given } from "./given.ts";
import { countPublished } from "./measurements.ts";
import { refreshPostStatus, refreshPosts } from "./post-status.ts";
import { attempts, channels, deliveries, events, posts } from "./schema.ts";
import { fanOut } from "./webhooks.ts";

/** How long a claim holds without a sign of life. */
export const LEASE_MS = 300_000;
/** A lease that was taken so recently is not written anew. */
export const LEASE_FRESH_MS = 30_000;
/** How much longer than its call a lease lasts (reliability T4: timeout + 60 s). */
const SEND_MARGIN_MS = 60_000;

export type DeliveryRow = typeof deliveries.$inferSelect;
export const isChannel = (workspaceId: string, channelId: string) =>
  and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId));
/** One hand on one delivery: what it may change, and only while nobody else has. */
export interface Hold {
  key: DeliveryKey;
  holder: string;
  fence: number;
  ver: number;
}
/** A hold as a statement sees it. */
interface HoldIn {
  key: Record<keyof DeliveryKey, In<string>>;
  holder: In<string>;
  fence: In<number>;
  ver: In<number>;
}

const isMine = (hold: HoldIn) =>
  and(
    isDelivery(hold.key),
    eq(deliveries.fence, hold.fence),
    eq(deliveries.ver, hold.ver),
    sql`${deliveries.leaseUntil} > ${NOW}`,
  );
/** True of a delivery behind a write of ours that went through. */
const isWritten = (hold: HoldIn, state: "staged" | "sending") =>
  and(
    isDelivery(hold.key),
    sql`${deliveries.ver} = ${hold.ver} + 1`,
    eq(deliveries.fence, hold.fence),
    eq(deliveries.state, state),
  );
const isLeased = (hold: HoldIn) =>
  and(
    eq(channels.workspaceId, hold.key.workspaceId),
    eq(channels.id, hold.key.channelId),
    eq(channels.leaseHolder, hold.holder),
  );

const HOLD_COLUMNS = ["workspace", "post", "channel", "holder", "fence", "ver"] as const;
type HoldColumn = (typeof HOLD_COLUMNS)[number];
const cellsOf = ({ key, holder, fence, ver }: Hold) => ({
  workspace: key.workspaceId,
  post: key.postId,
  channel: key.channelId,
  holder,
  fence,
  ver,
});
const holdIn = ({ column }: Given<HoldColumn>): HoldIn => ({
  key: { workspaceId: column("workspace"), postId: column("post"), channelId: column("channel") },
  holder: column("holder"),
  fence: column("fence"),
  ver: column("ver"),
});

/** Makes a sealed token durable and extends the lease (T3). Returns whether the delivery was still ours. */
export async function saveToken(db: Database, hold: Hold, token: string): Promise<boolean> {
  const [rows] = await db.batch([
    db
      .update(deliveries)
      .set({ state: "staged", netToken: token, leaseUntil: sql`${NOW} + ${LEASE_MS}`, ver: hold.ver + 1 })
      .where(and(isMine(hold), sql`${deliveries.state} IN ('claimed', 'staged')`))
      .returning({ ver: deliveries.ver }),
    db
      .update(channels)
      .set({ leaseUntil: sql`${NOW} + ${LEASE_MS}` })
      .where(and(isLeased(hold), sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isWritten(hold, "staged")})`)),
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
    return { ...cellsOf(hold), token, hash: payloadHash, lease, enough: Math.max(needed, lease - LEASE_FRESH_MS) };
  });
  const ahead = given([...HOLD_COLUMNS, "token", "hash", "lease", "enough"], rows);
  const hold = holdIn(ahead);
  const { workspaceId, postId, channelId } = hold.key;
  const [written] = await db.batch([
    db
      .update(deliveries)
      .set({
        state: "sending",
        sentAt: NOW,
        attempts: sql`${deliveries.attempts} + 1`,
        netToken: sql`${ahead.column("token")}`,
        leaseUntil: sql`${NOW} + ${ahead.column("lease")}`,
        ver: sql`${deliveries.ver} + 1`,
      })
      .from(ahead.table)
      .where(
        and(
          isMine(hold),
          sql`${deliveries.state} IN ('claimed', 'staged', 'uncertain')`,
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NULL)`,
          sql`EXISTS (SELECT 1 FROM ${channels} WHERE ${isLeased(hold)}
            AND ${channels.credential} IS NOT NULL AND ${channels.removedAt} IS NULL)`,
        ),
      )
      .returning({
        workspaceId: deliveries.workspaceId,
        postId: deliveries.postId,
        channelId: deliveries.channelId,
        sentAt: deliveries.sentAt,
      }),
    insertFrom(
      db,
      attempts,
      { workspaceId, postId, channelId, fence: hold.fence, payloadHash: ahead.column("hash"), sentAt: NOW },
      sql`FROM ${ahead.table} CROSS JOIN ${deliveries} WHERE ${isWritten(hold, "sending")}`,
    ),
    db
      .update(channels)
      .set({ leaseUntil: sql`${NOW} + ${ahead.column("lease")}` })
      .from(ahead.table)
      .where(
        and(
          isLeased(hold),
          sql`${channels.leaseUntil} < ${NOW} + ${ahead.column("enough")}`,
          sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isWritten(hold, "sending")})`,
        ),
      ),
  ]);
  return sends.map(({ hold }) => written.find(isOf(hold.key))?.sentAt ?? null);
}

const isOf = (key: DeliveryKey) => (row: DeliveryKey) =>
  row.postId === key.postId && row.channelId === key.channelId && row.workspaceId === key.workspaceId;

/** One hand's write-ahead by itself. */
export async function writeAhead(
  db: Database,
  hold: Hold,
  token: string,
  payloadHash: string,
  sendTimeoutMs = 0,
): Promise<number | null> {
  const [sentAt = null] = await writeAheadAll(db, [{ hold, token, payloadHash, sendTimeoutMs }]);
  return sentAt;
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
    db
      .update(attempts)
      .set({ answeredAt: NOW, outcome: "stale", detail })
      .where(
        and(
          eq(attempts.workspaceId, hold.key.workspaceId),
          eq(attempts.postId, hold.key.postId),
          eq(attempts.channelId, hold.key.channelId),
          eq(attempts.fence, hold.fence),
        ),
      ),
  ]);
  return rows.length === 1;
}

/** A transition as it is written, its token sealed. */
export type SealedTransition = Omit<Transition, "token"> & { token?: string | null };

/** The end of one hand's work on a delivery, for now. */
export interface Ending {
  hold: Hold;
  transition: SealedTransition;
  event: EventRow | null;
  afterwards: Afterwards;
}

/** What a delivery that has ended leaves to be done. */
export interface Afterwards {
  platform: string;
  /** When it is looked at again, in epoch milliseconds; null: never. */
  checkAt: number | null;
  /** Whether a first comment is to be written under it. */
  hasComment: boolean;
}

/** What became of the writing of an ending. */
export interface Ended {
  written: boolean;
  /** The endpoints that have to hear of it. */
  toHear: string[];
}

const NOT_ENDED: Ended = { written: false, toHear: [] };

/**
 * The statements that write transitions with their events and their posts' new status, all or nothing. Only the holder of
 * the present fence may write, except proof that the post is live, which is taken from anybody (T10, T18). Which were
 * written, `readEndings` says.
 */
export function settleStatements(db: Database, endings: Ending[]) {
  const rows = endings.map(({ hold, transition, event, afterwards }) => ({
    ...cellsOf(hold),
    state: transition.state,
    next_at: transition.nextAt,
    ambiguous: transition.ambiguous,
    retries: transition.retries,
    error: transition.error,
    detail: transition.detail,
    sets_token: transition.token !== undefined,
    token: transition.token ?? null,
    live: transition.live !== undefined,
    net_post_id: transition.live?.id ?? null,
    url: transition.live?.url ?? null,
    url_state: transition.live?.urlState ?? null,
    not_before: transition.channelNotBefore ?? null,
    event_id: event?.id ?? null,
    event: event?.event ?? null,
    body: event?.body ?? null,
    created_at: event?.createdAt ?? null,
    platform: afterwards.platform,
    check_at: afterwards.checkAt,
    comment: afterwards.hasComment ? "due" : null,
  }));
  const ended = given(SETTLED_COLUMNS, rows);
  const { column } = ended;
  const hold = holdIn(ended);
  const { workspaceId, postId, channelId } = hold.key;
  const ifLive = (column: SQL, otherwise: SQLiteColumn) =>
    sql`CASE WHEN ${ended.column("live")} THEN ${column} ELSE ${otherwise} END`;
  const written = and(
    isDelivery(hold.key),
    eq(deliveries.state, column("state")),
    sql`(${column("live")} OR ${deliveries.ver} = ${hold.ver} + 1)`,
  );
  const goesThrough = sql`CASE WHEN ${column("live")} THEN ${deliveries.state} NOT IN ('live', 'removed', 'cancelled', 'failed')
    ELSE ${deliveries.ver} = ${hold.ver} AND ${deliveries.fence} = ${hold.fence} END`;
  // Before the states change: a second proof of the same thing counts nothing.
  const ending = sql`FROM ${ended.table} CROSS JOIN ${deliveries} WHERE ${isDelivery(hold.key)} AND ${goesThrough}`;
  return [
    countPublished(db, { workspaceId, platform: column("platform") }, sql`${ending} AND ${column("live")}`),
    planChecks(db, hold.key, column("check_at"), sql`${ending} AND ${column("check_at")} IS NOT NULL`),
    db
      .update(deliveries)
      .set({
        state: sql`${column("state")}`,
        ver: sql`${deliveries.ver} + 1`,
        nextAt: sql`${column("next_at")}`,
        ambiguous: sql`${column("ambiguous")}`,
        retries: sql`${column("retries")}`,
        error: sql`${column("error")}`,
        detail: sql`${column("detail")}`,
        leaseHolder: null,
        leaseUntil: null,
        netToken: sql`CASE WHEN ${column("sets_token")} THEN ${column("token")} ELSE ${deliveries.netToken} END`,
        netPostId: ifLive(column("net_post_id"), deliveries.netPostId),
        url: ifLive(column("url"), deliveries.url),
        urlState: ifLive(column("url_state"), deliveries.urlState),
        publishedAt: ifLive(NOW, deliveries.publishedAt),
        checkedAt: ifLive(NOW, deliveries.checkedAt),
        commentState: ifLive(column("comment"), deliveries.commentState),
      })
      .from(ended.table)
      .where(and(isDelivery(hold.key), goesThrough))
      .returning({
        workspaceId: deliveries.workspaceId,
        postId: deliveries.postId,
        channelId: deliveries.channelId,
      }),
    db
      .update(attempts)
      .set({ answeredAt: NOW, outcome: sql`${column("state")}`, detail: sql`${column("detail")}` })
      .from(ended.table)
      .where(
        and(
          eq(attempts.workspaceId, workspaceId),
          eq(attempts.postId, postId),
          eq(attempts.channelId, channelId),
          eq(attempts.fence, hold.fence),
          // Of what is live the delivery itself says all of it.
          sql`NOT ${column("live")}`,
        ),
      ),
    // Every event carries the fence of the row as written, so that a second proof of the same thing adds none.
    insertEvents(
      db,
      {
        workspaceId,
        id: column("event_id"),
        event: column("event"),
        postId,
        channelId,
        fence: sql`${deliveries.fence}`,
        body: column("body"),
        createdAt: column("created_at"),
      },
      sql`FROM ${ended.table} CROSS JOIN ${deliveries} WHERE ${written} AND ${column("event")} IS NOT NULL`,
    ),
    fanOut(
      db,
      sql`${ended.table} CROSS JOIN ${deliveries} CROSS JOIN ${events}`,
      sql`${written} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${postId}
        AND ${events.channelId} = ${channelId} AND ${events.fence} = ${deliveries.fence}
        AND ${events.event} = ${column("event")} AND ${events.id} = ${column("event_id")}`,
    ),
    ...refreshPosts(db, sql`SELECT ${workspaceId}, ${postId} FROM ${ended.table}`),
    db
      .update(channels)
      .set({ notBefore: sql`${column("not_before")}` })
      .from(ended.table)
      .where(and(isLeased(hold), sql`${column("not_before")} IS NOT NULL`)),
  ] as const;
}

const SETTLED_COLUMNS = [
  ...HOLD_COLUMNS,
  "state",
  "next_at",
  "ambiguous",
  "retries",
  "error",
  "detail",
  "sets_token",
  "token",
  "live",
  "net_post_id",
  "url",
  "url_state",
  "not_before",
  "event_id",
  "event",
  "body",
  "created_at",
  "platform",
  "check_at",
  "comment",
] as const;

/** What the statements of `settleStatements` have made of `endings`. */
export function readEndings(
  endings: Ending[],
  [, , written, , , messages]: BatchResponse<ReturnType<typeof settleStatements>>,
): Ended[] {
  return endings.map(({ hold, event }) => ({
    written: written.some(isOf(hold.key)),
    toHear: messages.flatMap(({ eventId, webhookId, state }) =>
      eventId === event?.id && state === "pending" ? [webhookId] : [],
    ),
  }));
}

/** One hand's ending by itself. */
export async function settleDelivery(db: Database, ending: Ending): Promise<Ended> {
  const [ended = NOT_ENDED] = readEndings([ending], await db.batch(settleStatements(db, [ending])));
  return ended;
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
