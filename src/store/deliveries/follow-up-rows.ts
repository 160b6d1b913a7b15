// Takedowns and edits of live posts, and the work that options ask for under them. A piece of work is a row, and each write applies only if that
// row still has the state that its writer read. When the next step of a delivery is due is in the delivery's own row
// (`check_at`), because a delivery takes one step at a time: the row and the time are written in one batch, under the same
// condition.
import { and, eq, inArray, not, or, type SQL, sql } from "drizzle-orm";
import { type FollowUpOutcome, stateAfter } from "../../domain/delivery/follow-up.ts";
import {
  FOLLOW_UP_MOVES,
  type FollowUpKind,
  type FollowUpMoveName,
  type FollowUpState,
  type OptionKind,
  REQUEST_KINDS,
} from "../../domain/delivery/follow-up-moves.ts";
import { unclearTakedown } from "../../domain/delivery/takedown.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW, type RowIn } from "../db/db.ts";
import { rowAsJson } from "../db/row-as-json.ts";
import { deliveries, followUps } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";

export type FollowUpRow = typeof followUps.$inferSelect;

const isOfDelivery = (key: DeliveryKey) =>
  and(
    eq(followUps.workspaceId, key.workspaceId),
    eq(followUps.postId, key.postId),
    eq(followUps.channelId, key.channelId),
  );
/** True of the work of the delivery that the outer statement reads or writes. */
const isOfOuterDelivery = sql`${followUps.workspaceId} = ${deliveries.workspaceId}
  AND ${followUps.postId} = ${deliveries.postId} AND ${followUps.channelId} = ${deliveries.channelId}`;
const followUpJson = rowAsJson(followUps);
/** All work of the delivery that a statement reads, as one value. */
export const followUpsJson = {
  array: sql`(SELECT json_group_array(${followUpJson.array}) FROM ${followUps} WHERE ${isOfOuterDelivery})`,
  read: (rows: unknown[][][]): FollowUpRow[] => rows.map((cells) => followUpJson.read(cells)),
};

/** True of one piece of a delivery's work. */
export const isWork = (key: DeliveryKey, kind: FollowUpKind) => and(isOfDelivery(key), eq(followUps.kind, kind));
/** True of work whose state permits a move. */
export const mayFollowUpMove = (move: FollowUpMoveName) => inArray(followUps.state, [...FOLLOW_UP_MOVES[move].from]);

/** True of a delivery that has work of one of these kinds in one of these states. */
const hasWork = (kinds: readonly FollowUpKind[], states: readonly FollowUpState[]) =>
  sql`EXISTS (SELECT 1 FROM ${followUps} WHERE ${isOfOuterDelivery} AND ${inArray(followUps.kind, [...kinds])}
    AND ${inArray(followUps.state, [...states])})`;
/** True of a delivery whose takedown has one of these states. */
export const hasTakedown = (states: readonly FollowUpState[]) => hasWork(["takedown"], states);
/** True of a delivery whose takedown is due. */
export const isTakedownDue = hasTakedown(["due"]);
/** True of a delivery with a due takedown or edit. */
export const isRequestDue = hasWork(REQUEST_KINDS, ["due"]);

/** True of a live delivery without a due takedown or edit. */
const staysLive = and(eq(deliveries.state, "live"), not(isRequestDue));

/** A takedown or an edit that was requested in the meantime stays due. */
export const unlessRequested = (nextAt: number | null) =>
  sql`CASE WHEN ${isRequestDue} THEN ${deliveries.checkAt} ELSE ${nextAt} END`;
/** When a delivery is due after work of this kind: a request that comes before it stays due. */
export const dueAfter = (kind: FollowUpKind, nextAt: number | null) => {
  if (kind === "takedown") return nextAt;
  if (kind !== "edit") return unlessRequested(nextAt);
  return sql`CASE WHEN ${isTakedownDue} THEN ${deliveries.checkAt} ELSE ${nextAt} END`;
};

/** The table of works that records bring: the delivery of each, its recorded state, and the kinds of work. */
interface WorkTable {
  key: RowIn<DeliveryKey>;
  table: SQL;
  state: SQL;
  kinds: SQL;
}

/**
 * The statement that adds the work of posts that are live now. If the database was restored to an earlier minute, the work
 * may have been done since, so it begins as if its calls had no answer.
 */
export function insertFollowUpWork(db: Database, { key, table, state, kinds }: WorkTable, goesThrough: SQL) {
  const { announced, held_back: heldBack } = FOLLOW_UP_MOVES;
  const firstState = sql`CASE WHEN ${deliveries.isHeldBack} THEN ${heldBack.to} ELSE ${announced.from[0]} END`;
  return insertFrom(
    db,
    followUps,
    { ...key, kind: sql`kind.value`, state: firstState },
    sql`FROM ${table} CROSS JOIN ${deliveries} CROSS JOIN json_each(${kinds}) AS kind
      WHERE ${isDelivery(key)} AND ${state} = 'live' AND ${goesThrough}`,
  ).onConflictDoNothing();
}

/**
 * Stores what was prepared for a call. `stored`: the value that was read. Returns false if another session has stored
 * something else in the meantime, or has begun the call.
 */
export async function saveFollowUpKey(
  db: Database,
  key: DeliveryKey,
  { kind, stored, publishKey }: { kind: OptionKind; stored: string | null; publishKey: string },
): Promise<boolean> {
  const rows = await db
    .update(followUps)
    .set({ publishKey })
    .where(and(isWork(key, kind), mayFollowUpMove("announced"), sql`${followUps.publishKey} IS ${stored}`))
    .returning({ kind: followUps.kind });
  return rows.length === 1;
}

/** How long a call may take before it counts as lost. */
const CALL_MAX_MS = 5 * MINUTE_MS;

/**
 * Records the intent to make a call. The follow-up is due again after the call's time limit. Returns whether the caller may
 * make the call. It may not if another process has begun it, or the post is not live or is being taken down.
 */
export async function writeFollowUpIntent(db: Database, key: DeliveryKey, kind: OptionKind): Promise<boolean> {
  const work = sql`SELECT 1 FROM ${followUps} WHERE ${and(isWork(key, kind), mayFollowUpMove("announced"))}`;
  const delivery = sql`SELECT 1 FROM ${deliveries} WHERE ${and(isDelivery(key), staysLive)}`;
  const { rows } = await batch(db, {
    dueAgain: db
      .update(deliveries)
      .set({ checkAt: sql`${NOW} + ${CALL_MAX_MS}` })
      .where(and(isDelivery(key), staysLive, sql`EXISTS (${work})`)),
    rows: db
      .update(followUps)
      .set({ state: FOLLOW_UP_MOVES.announced.to })
      .where(and(isWork(key, kind), mayFollowUpMove("announced"), sql`EXISTS (${delivery})`))
      .returning({ kind: followUps.kind }),
  });
  return rows.length === 1;
}

/** A piece of work as it was last read or written. */
export interface StoredWork {
  kind: FollowUpKind;
  state: FollowUpState;
  /**
   * How often it was put off. If null, the number is not compared with the row: the one call was answered, so no other
   * process knows more.
   */
  tries: number | null;
}

/**
 * Records the outcome of a piece of work, and when the delivery is due again (epoch milliseconds; null: never). Writes
 * nothing if the work has changed since `stored` was read. So a process that stalled while another process did the work
 * changes nothing. A takedown that ends also ends all other work, even if the post stays online.
 */
export async function recordFollowUp(
  db: Database,
  key: DeliveryKey,
  { kind, state, tries }: StoredWork,
  outcome: FollowUpOutcome,
  dueAt: number | null,
): Promise<void> {
  const asRead = and(
    isWork(key, kind),
    eq(followUps.state, state),
    tries === null ? undefined : eq(followUps.tries, tries),
  );
  const { detail, networkMessage = null } = outcome;
  const hasEnded = outcome.nextAt === null;
  await batch(db, {
    dueAgain: db
      .update(deliveries)
      .set({ checkAt: dueAfter(kind, dueAt) })
      .where(and(isDelivery(key), sql`EXISTS (SELECT 1 FROM ${followUps} WHERE ${asRead})`)),
    work: db
      .update(followUps)
      .set({
        state: stateAfter(outcome),
        detail,
        networkMessage,
        ...(hasEnded ? { publishKey: null } : { tries: sql`${followUps.tries} + 1` }),
      })
      .where(asRead),
    others:
      kind === "takedown" && hasEnded
        ? [endFollowUps(db, key, hasTakedown([stateAfter(outcome)]), TAKEDOWN_MAYBE)]
        : [],
  });
}

/** The moves of work that ends with its delivery, by what has become of the post. */
interface Ending {
  takedown: "taken_down" | "unclear";
  detail: string | null;
}
export const POST_IS_GONE: Ending = { takedown: "taken_down", detail: null };
export const TAKEDOWN_MAYBE: Ending = { takedown: "unclear", detail: unclearTakedown({}).detail };

/**
 * The statement that ends the work of a delivery, if `condition` holds for the delivery: Crier does nothing more under the
 * post.
 */
export function endFollowUps(db: Database, key: DeliveryKey, condition: SQL | undefined, { takedown, detail }: Ending) {
  const isTakedown = eq(followUps.kind, "takedown");
  const ends = (ofTakedown: string | null, ofOptions: SQL) =>
    sql`CASE WHEN ${isTakedown} THEN ${ofTakedown} ELSE ${ofOptions} END`;
  const { dropped, lost, unclear } = FOLLOW_UP_MOVES;
  return db
    .update(followUps)
    .set({
      state: ends(
        FOLLOW_UP_MOVES[takedown].to,
        // The call of an edit that is due may have been made.
        sql`CASE WHEN ${followUps.kind} = 'edit' THEN ${unclear.to}
          WHEN ${mayFollowUpMove("dropped")} THEN ${dropped.to} ELSE ${lost.to} END`,
      ),
      detail: ends(detail, sql`${followUps.detail}`),
      networkMessage: ends(null, sql`${followUps.networkMessage}`),
    })
    .where(
      and(
        isOfDelivery(key),
        or(
          and(isTakedown, mayFollowUpMove(takedown)),
          and(not(isTakedown), inArray(followUps.state, [...dropped.from, ...lost.from])),
        ),
        sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${and(isDelivery(key), condition)})`,
      ),
    );
}
