// Stops deliveries that may not be sent any more: the post was cancelled or the channel disconnected before anything
// was sent.
import { and, eq, isNotNull, not, sql } from "drizzle-orm";
import { isPresentChannel } from "../channels/channel-key.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { channels, deliveries, followUps, posts } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { hasTakedown, isWork } from "./follow-up-rows.ts";
import { type DeliveryGuard, ifUnchanged } from "./guard.ts";
import { isInState, mayMove } from "./moves.ts";
import { hasRemovedThreadPart } from "./thread-part-rows.ts";

/**
 * Matches threads with published parts, among deliveries that are not live: a single post is live as soon as it is published.
 * Such a thread is stopped rather than cancelled.
 */
export const isThreadBegun = isNotNull(deliveries.publishedAt);

/**
 * The columns to write when a delivery that matches `mayBeStopped` is cancelled. The version changes and the session is
 * cleared, so that no running session takes the row for its own.
 */
export const stopped = {
  state: sql`CASE WHEN ${isThreadBegun} THEN ${deliveries.state} ELSE 'cancelled' END`,
  // The publisher stops a thread with published parts, and reports it.
  nextAt: sql`CASE WHEN ${isThreadBegun} THEN ${NOW} END`,
  version: sql`${deliveries.version} + 1`,
  session: null,
};

/** Matches deliveries with no call in progress. */
export const mayBeStopped = and(eq(deliveries.hasOpenSend, false), mayMove("cancelled"));

/**
 * Cancels a delivery whose post was cancelled before anything was sent, unless the row has been written in the
 * meantime.
 */
export async function cancelUnsent(db: Database, guard: DeliveryGuard): Promise<void> {
  const { workspaceId, postId } = guard.key;
  await db.batch([
    db
      .update(deliveries)
      .set({ state: "cancelled", nextAt: null, version: sql`${deliveries.version} + 1`, session: guard.session })
      .where(
        and(
          ifUnchanged(guard),
          mayBeStopped,
          not(isThreadBegun),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
            AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      ),
    ...refreshPostStatus(db, workspaceId, postId),
  ]);
}

/**
 * Why a delivery may not be sent; null if nothing prevents it, or if the row has been written in the meantime.
 */
export async function whyStopped(db: Database, guard: DeliveryGuard): Promise<"disconnected" | "cancelled" | null> {
  const { workspaceId, postId, channelId } = guard.key;
  const {
    row: [row],
    channel: [channel],
    post: [post],
  } = await batch(db, {
    row: db.select({ version: deliveries.version }).from(deliveries).where(ifUnchanged(guard)),
    channel: db
      .select({ id: channels.id })
      .from(channels)
      .where(and(isPresentChannel(workspaceId, channelId), isNotNull(channels.credential))),
    post: db
      .select({ id: posts.id })
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId), isNotNull(posts.cancelledAt))),
  });
  if (row === undefined) return null;
  if (post !== undefined) return "cancelled";
  return channel === undefined ? "disconnected" : null;
}

/**
 * Makes a failed delivery due again, with a new publish key. With `confirmed`, also retries a delivery with an unknown
 * outcome, because its owner confirms that nothing was published. Returns whether the delivery was in such a state.
 */
export async function retryFailed(db: Database, key: DeliveryKey, confirmed: boolean): Promise<boolean> {
  const { workspaceId, postId } = key;
  const mayBeRetried = and(
    isDelivery(key),
    confirmed ? mayMove("retried") : isInState(["failed"]),
    // A thread is not continued while its parts are being taken down, or may have been.
    sql`NOT (${isThreadBegun} AND (${hasTakedown(["due", "unknown"])} OR ${hasRemovedThreadPart}))`,
    sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${postId}
      AND ${posts.cancelledAt} IS NULL)`,
  );
  const { rows } = await batch(db, {
    takedown: db
      .delete(followUps)
      .where(and(isWork(key, "takedown"), sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${mayBeRetried})`)),
    rows: db
      .update(deliveries)
      .set({
        state: "retry_wait",
        version: sql`${deliveries.version} + 1`,
        session: null,
        scheduledFor: NOW,
        nextAt: NOW,
        hasOpenSend: false,
        publishKey: null,
        lastTry: null,
        checkAt: null,
        // The steps that may have been taken belonged to a post that is not out.
        isHeldBack: false,
      })
      .where(mayBeRetried)
      .returning({ version: deliveries.version }),
    post: refreshPostStatus(db, workspaceId, postId),
  });
  return rows.length === 1;
}
