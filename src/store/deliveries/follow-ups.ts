// Live deliveries with due follow-ups: the recheck and the work of options. Reading a follow-up leaves it due; the
// process that handles it writes when it is due again.
import { and, asc, desc, eq, inArray, isNull, lte, type SQL, sql } from "drizzle-orm";
import type { LivePart } from "../../domain/delivery/thread.ts";
import type { AfterVerification, Rechecks } from "../../domain/delivery/verification.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { fromJson, rowAsJson } from "../db/row-as-json.ts";
import { channels, deliveries, posts, workspaces } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { endFollowUpWork, type FollowUpRow, followUpsJson, unlessTakenDown } from "./follow-up-rows.ts";
import { mayMove } from "./moves.ts";
import { noteStatements } from "./notes.ts";

/** A delivery whose follow-up is due, with its channel and post. */
export interface FollowUp {
  delivery: typeof deliveries.$inferSelect;
  /** The work that its options ask for. */
  followUps: FollowUpRow[];
  channel: typeof channels.$inferSelect;
  post: typeof posts.$inferSelect;
  /** How often its workspace wants live posts rechecked now; null: by each network's own rule. */
  wanted: Rechecks | null;
  /** The database's clock. */
  now: number;
}

export interface DueFollowUp extends DeliveryKey {
  lane: number;
}
/** The position of a walk through the due follow-ups, ordered by due time. */
export interface FollowUpPlace extends DeliveryKey {
  /** Epoch milliseconds. */
  dueAt: number;
}

const placeOf = {
  dueAt: sql<number>`${deliveries.checkAt}`.as("due_at"),
  workspaceId: deliveries.workspaceId,
  postId: deliveries.postId,
  channelId: deliveries.channelId,
};
const inOrder = [
  asc(deliveries.checkAt),
  asc(deliveries.workspaceId),
  asc(deliveries.postId),
  asc(deliveries.channelId),
];

/** The statement that selects the first `perChannel` follow-ups of each channel from a page of due ones. */
function firstOfEach(db: Database, where: SQL | undefined, order: SQL[], limit: number, perChannel: number) {
  const page = db
    .select(placeOf)
    .from(deliveries)
    .where(where)
    .orderBy(...order)
    .limit(limit)
    .as("page");
  const rank = sql<number>`ROW_NUMBER() OVER (PARTITION BY ${page.workspaceId}, ${page.channelId} ORDER BY ${page.dueAt})`;
  const { workspaceId, postId, channelId } = page;
  const ranked = db
    .select({ workspaceId, postId, channelId, rank: rank.as("rank") })
    .from(page)
    .as("ranked");
  return db
    .select({
      workspaceId: ranked.workspaceId,
      postId: ranked.postId,
      channelId: ranked.channelId,
      lane: channels.lane,
    })
    .from(ranked)
    .crossJoin(channels)
    .where(
      and(
        lte(ranked.rank, perChannel),
        eq(channels.workspaceId, ranked.workspaceId),
        eq(channels.id, ranked.channelId),
      ),
    );
}

/**
 * Takes the `limit` follow-ups of all workspaces that came due most recently, and returns the first `perChannel` of
 * each channel.
 */
export async function latestFollowUps(db: Database, limit: number, perChannel: number): Promise<DueFollowUp[]> {
  return firstOfEach(db, lte(deliveries.checkAt, NOW), [desc(deliveries.checkAt)], limit, perChannel);
}

/**
 * Takes the next `limit` due follow-ups of all workspaces after `after` (null: from the follow-up that has been due longest),
 * and returns the first `perChannel` of each channel. `next` is the position for the next call; null if none are left.
 */
export async function followUpsAfter(
  db: Database,
  after: FollowUpPlace | null,
  limit: number,
  perChannel: number,
): Promise<{ due: DueFollowUp[]; next: FollowUpPlace | null }> {
  const { dueAt, workspaceId, postId, channelId } = after ?? { dueAt: 0, workspaceId: "", postId: "", channelId: "" };
  const { checkAt } = deliveries;
  const isAhead = and(
    lte(checkAt, NOW),
    sql`(${checkAt}, ${deliveries.workspaceId}, ${deliveries.postId}, ${deliveries.channelId})
      > (${dueAt}, ${workspaceId}, ${postId}, ${channelId})`,
  );
  const last = db
    .select(placeOf)
    .from(deliveries)
    .where(isAhead)
    .orderBy(...inOrder);
  const {
    due,
    next: [next],
  } = await batch(db, {
    due: firstOfEach(db, isAhead, inOrder, limit, perChannel),
    next: last.limit(1).offset(limit - 1),
  });
  return { due, next: next ?? null };
}

const [deliveryJson, channelJson, postJson] = [rowAsJson(deliveries), rowAsJson(channels), rowAsJson(posts)];

/** Reads a follow-up; null if it is no longer due. */
export async function readFollowUp(db: Database, key: DeliveryKey): Promise<FollowUp | null> {
  const [row] = await db
    .select({
      now: NOW.as("now"),
      delivery: fromJson(deliveryJson.array, deliveryJson.read).as("delivery"),
      followUps: fromJson(followUpsJson.array, followUpsJson.read).as("follow_ups"),
      channel: fromJson(channelJson.array, channelJson.read).as("of"),
      post: fromJson(postJson.array, postJson.read).as("post"),
      wanted:
        sql<Rechecks | null>`(SELECT ${workspaces.rechecks} FROM ${workspaces} WHERE ${workspaces.id} = ${key.workspaceId})`.as(
          "wanted",
        ),
    })
    .from(deliveries)
    .innerJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
    .innerJoin(posts, and(eq(posts.workspaceId, deliveries.workspaceId), eq(posts.id, deliveries.postId)))
    .where(and(isDelivery(key), lte(deliveries.checkAt, NOW)));
  return row ?? null;
}

/** Ends a pending takedown: the network is not called again. */
const endOfTakedown = {
  detail: sql`CASE ${deliveries.takedownState} WHEN 'due' THEN 'it may not have been taken down; check the network'
    ELSE ${deliveries.detail} END`,
  networkMessage: sql`CASE ${deliveries.takedownState} WHEN 'due' THEN NULL ELSE ${deliveries.networkMessage} END`,
  takedownState: sql`CASE ${deliveries.takedownState} WHEN 'due' THEN 'unknown' ELSE ${deliveries.takedownState} END`,
};

/**
 * Postpones follow-ups of a channel until `dueAt` (epoch milliseconds). `since`: when they were read (epoch
 * milliseconds); a follow-up that was rescheduled since then keeps its time, and so does a takedown that was requested
 * in the same instant.
 */
export async function putOffFollowUps(
  db: Database,
  workspaceId: string,
  channelId: string,
  postIds: string[],
  dueAt: number,
  since: number,
): Promise<void> {
  await db
    .update(deliveries)
    .set({ checkAt: dueAt })
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        inArray(deliveries.postId, sql`(SELECT value FROM json_each(${JSON.stringify(postIds)}))`),
        eq(deliveries.channelId, channelId),
        lte(deliveries.checkAt, since),
        sql`(${deliveries.takedownState} IS NOT 'due' OR ${deliveries.checkAt} < ${since})`,
      ),
    );
}

/** A follow-up as it was read. */
type ReadFollowUp = DeliveryKey & Pick<typeof deliveries.$inferSelect, "version" | "checkAt" | "takedownState">;

/**
 * Writes when a follow-up is due again (epoch milliseconds). `null`: never, and everything that is pending with it
 * ends. Writes nothing if the row has changed since it was read. For example, another session may have proven that
 * the post is live, or begun its first comment, which is due again at another time, or the owner may have requested a
 * takedown.
 */
export async function rescheduleFollowUp(db: Database, read: ReadFollowUp, dueAt: number | null): Promise<void> {
  const asRead = and(
    isDelivery(read),
    eq(deliveries.version, read.version),
    sql`${deliveries.checkAt} IS ${read.checkAt}`,
    sql`${deliveries.takedownState} IS ${read.takedownState}`,
  );
  const update = db.update(deliveries);
  if (dueAt !== null) await update.set({ checkAt: dueAt }).where(asRead);
  else {
    await db.batch([endFollowUpWork(db, read, asRead), update.set({ checkAt: null, ...endOfTakedown }).where(asRead)]);
  }
}

/** The columns of a delivery that is no longer live. */
export const removedNow = {
  state: "removed",
  version: sql`${deliveries.version} + 1`,
  session: null,
  checkedAt: NOW,
  checkAt: null,
  takedownState: null,
} as const;

/** True of a delivery whose post is gone. */
export const isRemoved = eq(deliveries.state, "removed");

/** The dedupe key of the event: a delivery goes live only once, so this event is written only once. */
const ONCE = 0;

/** The parts of a thread as they were read, and their new value: written only if they have not changed in between. */
interface PartsChange {
  from: string;
  to: LivePart[];
}

/**
 * Records the result of rechecking a live delivery; a delivery that is no longer live stays as it is. `altered`: the
 * event of a delivery that was found altered. Returns the endpoints to notify.
 */
export async function settleVerification(
  db: Database,
  key: DeliveryKey,
  after: AfterVerification,
  altered: EventRecord | null,
  parts?: PartsChange,
): Promise<string[]> {
  const isLive = and(
    isDelivery(key),
    mayMove("found_gone"),
    parts === undefined ? undefined : eq(deliveries.parts, parts.from),
  );
  const changed = parts === undefined ? {} : { parts: JSON.stringify(parts.to) };
  if (after.is === "removed") {
    await db.batch([
      db
        .update(deliveries)
        .set({
          ...removedNow,
          ...changed,
          // This also settles a takedown whose outcome was unknown.
          removedBy: sql`CASE WHEN ${deliveries.takedownState} IS NULL THEN 'network' ELSE 'you' END`,
        })
        .where(isLive),
      endFollowUpWork(db, key, isRemoved),
      ...refreshPostStatus(db, key.workspaceId, key.postId),
    ]);
    return [];
  }
  const { url, urlState, missingSince, nextAt, readback } = after;
  const update = db
    .update(deliveries)
    .set({
      url,
      urlState,
      checkedAt: NOW,
      missingSince,
      checkAt: unlessTakenDown(nextAt),
      ...(readback && { readback }),
      ...changed,
    })
    .where(isLive);
  if (altered === null) {
    await update;
    return [];
  }
  const isNew = and(mayMove("found_gone"), isNull(deliveries.readback));
  const { messages } = await batch(db, { ...noteStatements(db, key, altered, ONCE, isNew), kept: update });
  return endpointsToNotify(messages);
}
