// What is looked at again after publishing. Whoever takes a check moves it ahead, so that two hands never have the same;
// one that dies leaves it to be found due again.
import { and, asc, eq, inArray, lte, type SQL, sql } from "drizzle-orm";
import type { CommentOutcome } from "../domain/first-comment.ts";
import type { AfterLook } from "../domain/recheck.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { refreshPostStatus } from "./post-status.ts";
import { channels, deliveries, posts } from "./schema.ts";
import { checks } from "./schema-after.ts";

/** How long a hand may take over one check. */
const LEASE_MS = 5 * 60_000;

export type CheckRow = typeof checks.$inferSelect;

/** A check that is in hand, with all that it is about. */
export interface TakenCheck {
  check: CheckRow;
  delivery: typeof deliveries.$inferSelect;
  channel: typeof channels.$inferSelect;
  post: typeof posts.$inferSelect;
  /** The database's clock. */
  now: number;
}

const isCheck = ({ workspaceId, postId, channelId }: DeliveryKey) =>
  and(eq(checks.workspaceId, workspaceId), eq(checks.postId, postId), eq(checks.channelId, channelId));

/** The statement that has deliveries looked at from `dueAt` on, one for each row of `from` (`FROM ... WHERE ...`). */
export function planChecks(db: Database, key: RowIn<DeliveryKey>, dueAt: SQL, from: SQL) {
  return insertFrom(db, checks, { ...key, dueAt }, from).onConflictDoUpdate({
    target: [checks.workspaceId, checks.postId, checks.channelId],
    set: { dueAt: sql`excluded.due_at` },
  });
}

/** Checks that are due, over all workspaces, the oldest first. */
export async function dueChecks(db: Database, limit: number): Promise<DeliveryKey[]> {
  return db
    .select({ workspaceId: checks.workspaceId, postId: checks.postId, channelId: checks.channelId })
    .from(checks)
    .where(lte(checks.dueAt, NOW))
    .orderBy(asc(checks.dueAt))
    .limit(limit);
}

/** Takes a check that is due; null when another hand has it, or it is not due. */
export async function takeCheck(db: Database, key: DeliveryKey): Promise<TakenCheck | null> {
  const { workspaceId, postId, channelId } = key;
  const [taken, [delivery], [channel], [post]] = await db.batch([
    db
      .update(checks)
      .set({ dueAt: sql`${NOW} + ${LEASE_MS}` })
      .where(and(isCheck(key), lte(checks.dueAt, NOW)))
      .returning(),
    db.select({ row: deliveries, now: NOW }).from(deliveries).where(isDelivery(key)),
    db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId))),
    db
      .select()
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId))),
  ]);
  const [check] = taken;
  if (check === undefined || delivery === undefined || channel === undefined || post === undefined) return null;
  return { check, delivery: delivery.row, channel, post, now: delivery.now };
}

/** Has checks of a channel wait until an instant. `null`: they are over. */
export async function putOffChecks(
  db: Database,
  workspaceId: string,
  channelId: string,
  postIds: string[],
  dueAt: number | null,
): Promise<void> {
  const these = and(
    eq(checks.workspaceId, workspaceId),
    inArray(checks.postId, postIds),
    eq(checks.channelId, channelId),
  );
  if (dueAt === null) await db.delete(checks).where(these);
  else await db.update(checks).set({ dueAt }).where(these);
}

/** Writes what a look at a live delivery made of it (T17); what is not live any more stays as it is. */
export async function settleLook(db: Database, key: DeliveryKey, after: AfterLook): Promise<void> {
  const isLive = and(isDelivery(key), eq(deliveries.state, "live"));
  if (after.is === "removed") {
    await db.batch([
      db
        .update(deliveries)
        .set({ state: "removed", ver: sql`${deliveries.ver} + 1`, checkedAt: NOW })
        .where(isLive),
      db.delete(checks).where(isCheck(key)),
      ...refreshPostStatus(db, key.workspaceId, key.postId),
    ]);
    return;
  }
  const { url, urlState, missingSince, nextAt } = after;
  await db.batch([
    db.update(deliveries).set({ url, urlState, checkedAt: NOW }).where(isLive),
    nextAt === null
      ? db.delete(checks).where(isCheck(key))
      : db.update(checks).set({ missingSince, dueAt: nextAt }).where(isCheck(key)),
  ]);
}

/** Makes what a first comment is published with durable. */
export async function saveCommentToken(db: Database, key: DeliveryKey, token: string): Promise<void> {
  await db.update(checks).set({ commentToken: token }).where(isCheck(key));
}

/** Writes ahead that the first comment is about to be made. Returns whether this hand may make it. */
export async function beginComment(db: Database, key: DeliveryKey): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ commentState: "sending" })
    .where(and(isDelivery(key), eq(deliveries.state, "live"), eq(deliveries.commentState, "due")))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** Writes what became of a first comment, and when the delivery is looked at next. */
export async function endComment(
  db: Database,
  key: DeliveryKey,
  { state, detail }: CommentOutcome,
  dueAt: number | null,
): Promise<void> {
  await db.batch([
    db
      .update(deliveries)
      .set({ commentState: state, ...(detail === null ? {} : { detail }) })
      .where(and(isDelivery(key), inArray(deliveries.commentState, ["due", "sending"]))),
    dueAt === null
      ? db.delete(checks).where(isCheck(key))
      : db
          .update(checks)
          .set({
            dueAt,
            commentTries: sql`${checks.commentTries} + ${state === "due" ? 1 : 0}`,
            ...(state === "due" ? {} : { commentToken: null }),
          })
          .where(isCheck(key)),
  ]);
}
