// What is looked at again after publishing. Whoever takes a check has it alone for a while; one that dies leaves it to be
// found due again.
import { and, asc, eq, getTableColumns, inArray, isNotNull, lte, sql } from "drizzle-orm";
import type { CommentOutcome } from "../domain/first-comment.ts";
import type { AfterLook } from "../domain/recheck.ts";
import { type Database, NOW } from "./db.ts";
import type { DeliveryRow } from "./deliveries.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { refreshPostStatus } from "./post-status.ts";
import { channels, deliveries, posts } from "./schema.ts";

/** How long a hand may take over one check. */
const LEASE_MS = 5 * 60_000;

/** A delivery whose check is in hand, with all that it is about. */
export interface TakenCheck {
  delivery: DeliveryRow;
  channel: typeof channels.$inferSelect;
  post: typeof posts.$inferSelect;
  /** The database's clock. */
  now: number;
}

/** Due, and in nobody's hand. To take a check leaves its instant alone: a row less is written than in moving it. */
const isFree = and(
  lte(deliveries.checkAt, NOW),
  sql`(${deliveries.checkUntil} IS NULL OR ${deliveries.checkUntil} <= ${NOW})`,
);

/** Checks that are due, over all workspaces, the oldest first. */
export async function dueChecks(db: Database, limit: number): Promise<DeliveryKey[]> {
  return db
    .select({ workspaceId: deliveries.workspaceId, postId: deliveries.postId, channelId: deliveries.channelId })
    .from(deliveries)
    .where(isFree)
    .orderBy(asc(deliveries.checkAt))
    .limit(limit);
}

/** Takes a check that is due; null when another hand has it, or it is not due. */
export async function takeCheck(db: Database, key: DeliveryKey): Promise<TakenCheck | null> {
  const { workspaceId, postId, channelId } = key;
  const [[taken], [channel], [post]] = await db.batch([
    db
      .update(deliveries)
      .set({ checkUntil: sql`${NOW} + ${LEASE_MS}` })
      .where(and(isDelivery(key), isFree))
      .returning({ ...getTableColumns(deliveries), now: NOW }),
    db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId))),
    db
      .select()
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId))),
  ]);
  if (taken === undefined || channel === undefined || post === undefined) return null;
  const { now, ...delivery } = taken;
  return { delivery, channel, post, now };
}

/** Has checks of a channel wait until an instant. `null`: they are over. */
export async function putOffChecks(
  db: Database,
  workspaceId: string,
  channelId: string,
  postIds: string[],
  dueAt: number | null,
): Promise<void> {
  await db
    .update(deliveries)
    .set({ checkAt: dueAt, checkUntil: null })
    .where(
      and(
        eq(deliveries.workspaceId, workspaceId),
        inArray(deliveries.postId, postIds),
        eq(deliveries.channelId, channelId),
        isNotNull(deliveries.checkAt),
      ),
    );
}

/** Writes what a look at a live delivery made of it (T17); what is not live any more stays as it is. */
export async function settleLook(db: Database, key: DeliveryKey, after: AfterLook): Promise<void> {
  const isLive = and(isDelivery(key), eq(deliveries.state, "live"));
  if (after.is === "removed") {
    await db.batch([
      db
        .update(deliveries)
        .set({ state: "removed", ver: sql`${deliveries.ver} + 1`, checkedAt: NOW, checkAt: null, checkUntil: null })
        .where(isLive),
      ...refreshPostStatus(db, key.workspaceId, key.postId),
    ]);
    return;
  }
  const { url, urlState, missingSince, nextAt } = after;
  await db
    .update(deliveries)
    .set({ url, urlState, checkedAt: NOW, missingSince, checkAt: nextAt, checkUntil: null })
    .where(isLive);
}

/** Makes what a first comment is published with durable. */
export async function saveCommentToken(db: Database, key: DeliveryKey, token: string): Promise<void> {
  await db.update(deliveries).set({ commentToken: token }).where(isDelivery(key));
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
  await db
    .update(deliveries)
    .set({
      commentState: state,
      checkAt: dueAt,
      checkUntil: null,
      ...(detail === null ? {} : { detail }),
      ...(state === "due" ? { commentTries: sql`${deliveries.commentTries} + 1` } : { commentToken: null }),
    })
    .where(and(isDelivery(key), inArray(deliveries.commentState, ["due", "sending"])));
}
