// How one hand's work on a delivery ends for now: its transition with all that is written in the same transaction.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Transition } from "../domain/delivery.ts";
import { type Database, NOW } from "./db.ts";
import { answered } from "./deliveries.ts";
import { isDelivery } from "./delivery-key.ts";
import { type EventRow, insertEvents } from "./events.ts";
import { given } from "./given.ts";
import { cellsOf, HOLD_COLUMNS, type Hold, holdIn, isLeased, isOf } from "./hold.ts";
import { countPublished } from "./measurements.ts";
import { refreshPosts } from "./post-status.ts";
import { channels, deliveries, events } from "./schema.ts";
import { fanOut } from "./webhooks.ts";

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
    db
      .update(deliveries)
      .set({
        state: sql`${column("state")}`,
        ver: sql`${deliveries.ver} + 1`,
        nextAt: sql`${column("next_at")}`,
        ambiguous: sql`${column("ambiguous")}`,
        // Of what is live the delivery itself says all of it.
        sends: sql`CASE WHEN ${deliveries.state} = 'sending' AND NOT ${column("live")}
          THEN ${answered(column("state"), column("detail"))} ELSE ${deliveries.sends} END`,
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
        checkAt: sql`COALESCE(${column("check_at")}, ${deliveries.checkAt})`,
        checkUntil: null,
      })
      .from(ended.table)
      .where(and(isDelivery(hold.key), goesThrough))
      .returning({
        workspaceId: deliveries.workspaceId,
        postId: deliveries.postId,
        channelId: deliveries.channelId,
      }),
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
  [, written, , messages]: BatchResponse<ReturnType<typeof settleStatements>>,
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
