// How one hand's work on a delivery ends for now: its transition with all that is written in the same transaction.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { BatchResponse } from "drizzle-orm/batch";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import type { Transition } from "../domain/delivery.ts";
import { type Database, NOW } from "./db.ts";
import { answered } from "./deliveries.ts";
import { isDelivery } from "./delivery-key.ts";
import { type EventRow, insertEvents } from "./events.ts";
import { type Given, given } from "./given.ts";
import { cellsOf, HOLD_COLUMNS, type Hold, holdIn, isAsHeld, isLeased, isOf, traceOf } from "./hold.ts";
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
  // Each statement is handed no more of it than it needs.
  const changed = given([...HOLD_COLUMNS, "live", ...CHANGES], rows);
  const told = given([...HOLD_COLUMNS, "state", "live", "event", "event_id", "body", "created_at"], rows);
  const heard = given([...HOLD_COLUMNS, "state", "live", "event", "event_id"], rows);
  const counted = given([...HOLD_COLUMNS, "live", "platform"], rows);
  const held = given(
    [...HOLD_COLUMNS, "not_before"],
    rows.filter(({ not_before }) => not_before !== null),
  );
  const { column } = changed;
  const hold = holdIn(changed);
  const { workspaceId, postId, channelId } = hold.key;
  const ifLive = (value: SQL, otherwise: SQLiteColumn) =>
    sql`CASE WHEN ${column("live")} THEN ${value} ELSE ${otherwise} END`;
  const written = ({ column }: Given<"state" | "live">) =>
    and(
      isDelivery(hold.key),
      eq(deliveries.state, column("state")),
      sql`(${column("live")} OR ${deliveries.ver} = ${hold.ver} + 1)`,
    );
  const goesThrough = sql`CASE WHEN ${column("live")} THEN ${deliveries.state} NOT IN ('live', 'removed', 'cancelled', 'failed')
    ELSE ${isAsHeld(hold)} END`;
  return [
    // Before the states change: a second proof of the same thing counts nothing.
    countPublished(
      db,
      { workspaceId, platform: counted.column("platform") },
      sql`FROM ${counted.table} CROSS JOIN ${deliveries}
        WHERE ${isDelivery(hold.key)} AND ${goesThrough} AND ${counted.column("live")}`,
    ),
    db
      .update(deliveries)
      .set({
        state: sql`${column("state")}`,
        ...traceOf(hold),
        nextAt: sql`${column("next_at")}`,
        ambiguous: sql`${column("ambiguous")}`,
        // Of what is live the delivery itself says all of it.
        sends: sql`CASE WHEN ${deliveries.state} = 'sending' AND NOT ${column("live")}
          THEN ${answered(column("state"), column("detail"))} ELSE ${deliveries.sends} END`,
        retries: sql`${column("retries")}`,
        error: sql`${column("error")}`,
        detail: sql`${column("detail")}`,
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
      .from(changed.table)
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
        id: told.column("event_id"),
        event: told.column("event"),
        postId,
        channelId,
        fence: sql`${deliveries.fence}`,
        body: told.column("body"),
        createdAt: told.column("created_at"),
      },
      sql`FROM ${told.table} CROSS JOIN ${deliveries} WHERE ${written(told)} AND ${told.column("event")} IS NOT NULL`,
    ),
    fanOut(
      db,
      sql`${heard.table} CROSS JOIN ${deliveries} CROSS JOIN ${events}`,
      sql`${written(heard)} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${postId}
        AND ${events.channelId} = ${channelId} AND ${events.fence} = ${deliveries.fence}
        AND ${events.event} = ${heard.column("event")} AND ${events.id} = ${heard.column("event_id")}`,
    ),
    ...refreshPosts(db, selectPosts(endings)),
    db
      .update(channels)
      .set({ notBefore: sql`${held.column("not_before")}` })
      .from(held.table)
      .where(isLeased(hold)),
  ] as const;
}

/** The posts of endings, each once. */
function selectPosts(endings: Ending[]): SQL {
  const posts = new Map(endings.map(({ hold: { key } }) => [`${key.workspaceId} ${key.postId}`, key]));
  const ended = given(
    ["workspace", "post"],
    [...posts.values()].map(({ workspaceId, postId }) => ({ workspace: workspaceId, post: postId })),
  );
  return sql`SELECT ${ended.column("workspace")}, ${ended.column("post")} FROM ${ended.table}`;
}

/** What an ending writes into the delivery's own row. */
const CHANGES = [
  "state",
  "next_at",
  "ambiguous",
  "retries",
  "error",
  "detail",
  "sets_token",
  "token",
  "net_post_id",
  "url",
  "url_state",
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
