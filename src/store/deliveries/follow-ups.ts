// Deliveries with due follow-ups: the takedown, the edit, the work of options, and the recheck. Reading a follow-up leaves it due; the
// process that handles it writes when it is due again.
import { and, asc, desc, eq, inArray, isNull, lt, lte, not, or, type SQL, sql } from "drizzle-orm";
import { isRequest } from "../../domain/delivery/follow-up-moves.ts";
import type { Rechecks } from "../../domain/delivery/recheck.ts";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import { whyFollowUpUnreadable } from "../../domain/delivery/unreadable.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { fromJson, fromJsonIf, rowAsJson } from "../db/row-as-json.ts";
import { channels, deliveries, posts, workspaces } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { endFollowUps, type FollowUpRow, followUpsJson, isRequestDue, TAKEDOWN_MAYBE } from "./follow-up-rows.ts";
import { threadPartsJson } from "./thread-part-rows.ts";

/** A delivery whose follow-up is due, with its channel and post. */
export interface FollowUp {
  delivery: typeof deliveries.$inferSelect;
  /** Its published parts; none, unless it is a thread. */
  threadParts: LiveThreadPart[];
  /** Its takedown and its edit, and the work that its options ask for. */
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
export interface FollowUpCursor extends DeliveryKey {
  /** Epoch milliseconds. */
  dueAt: number;
}

const cursorColumns = {
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
    .select(cursorColumns)
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
  after: FollowUpCursor | null,
  limit: number,
  perChannel: number,
): Promise<{ due: DueFollowUp[]; next: FollowUpCursor | null }> {
  const { dueAt, workspaceId, postId, channelId } = after ?? { dueAt: 0, workspaceId: "", postId: "", channelId: "" };
  const { checkAt } = deliveries;
  const isAhead = and(
    lte(checkAt, NOW),
    sql`(${checkAt}, ${deliveries.workspaceId}, ${deliveries.postId}, ${deliveries.channelId})
      > (${dueAt}, ${workspaceId}, ${postId}, ${channelId})`,
  );
  const last = db
    .select(cursorColumns)
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

/** A follow-up whose rows no release has written, and why it cannot be read. */
interface UnreadableFollowUp {
  reason: string;
  now: number;
}

/** Reads a follow-up; null if it is no longer due. */
export async function readFollowUp(db: Database, key: DeliveryKey): Promise<FollowUp | UnreadableFollowUp | null> {
  const parses = and(deliveryJson.parses, channelJson.parses, postJson.parses);
  const [row] = await db
    .select({
      now: NOW.as("now"),
      delivery: fromJsonIf(parses, deliveryJson.array, deliveryJson.read).as("delivery"),
      followUps: fromJson(followUpsJson.array, followUpsJson.read).as("follow_ups"),
      threadParts: fromJson(threadPartsJson.array, threadPartsJson.read).as("thread_parts"),
      channel: fromJsonIf(parses, channelJson.array, channelJson.read).as("of"),
      post: fromJsonIf(parses, postJson.array, postJson.read).as("post"),
      wanted:
        sql<Rechecks | null>`(SELECT ${workspaces.rechecks} FROM ${workspaces} WHERE ${workspaces.id} = ${key.workspaceId})`.as(
          "wanted",
        ),
    })
    .from(deliveries)
    .innerJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
    .innerJoin(posts, and(eq(posts.workspaceId, deliveries.workspaceId), eq(posts.id, deliveries.postId)))
    .where(and(isDelivery(key), lte(deliveries.checkAt, NOW)));
  if (row === undefined) return null;
  const { delivery, threadParts, channel, post, followUps, now, wanted } = row;
  if (delivery === null || channel === null || post === null) return { reason: "its JSON does not parse", now };
  const reason = whyFollowUpUnreadable({ delivery, followUps });
  return reason === null ? { delivery, threadParts, channel, post, followUps, now, wanted } : { reason, now };
}

/**
 * Postpones follow-ups of a channel until `dueAt` (epoch milliseconds). `since`: when they were read (epoch
 * milliseconds); a follow-up that was rescheduled since then keeps its time, and so does a takedown or an edit that was
 * requested in the same instant.
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
        or(not(isRequestDue), lt(deliveries.checkAt, since)),
      ),
    );
}

/**
 * Writes when a follow-up is due again (epoch milliseconds). `null`: never, and everything that is pending with it
 * ends. Writes nothing if the row has changed since it was read. For example, another session may have proven that
 * the post is live, or begun its first comment, which is due again at another time, or a caller may have requested a
 * takedown or an edit.
 */
export async function rescheduleFollowUp(
  db: Database,
  { delivery, followUps }: Pick<FollowUp, "delivery" | "followUps">,
  dueAt: number | null,
): Promise<void> {
  const wasRequestDue = followUps.some(({ kind, state }) => isRequest(kind) && state === "due");
  const asRead = and(
    isDelivery(delivery),
    eq(deliveries.version, delivery.version),
    sql`${deliveries.checkAt} IS ${delivery.checkAt}`,
    wasRequestDue ? isRequestDue : not(isRequestDue),
  );
  const update = db.update(deliveries).set({ checkAt: dueAt }).where(asRead);
  if (dueAt !== null) {
    await update;
    return;
  }
  const isOver = and(eq(deliveries.version, delivery.version), isNull(deliveries.checkAt));
  await db.batch([update, endFollowUps(db, delivery, isOver, TAKEDOWN_MAYBE)]);
}
