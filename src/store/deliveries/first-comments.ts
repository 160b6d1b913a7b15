// The first comments of live deliveries. Each write applies only if the row still has the value that its writer read.
import { and, eq, sql } from "drizzle-orm";
import type { CommentOutcome, CommentState } from "../../domain/delivery/first-comment.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { staysLive, unlessTakenDown } from "./follow-ups.ts";

/**
 * Stores the publish key of a first comment. `stored`: the key that was read. Returns false if another session has
 * stored a different key in the meantime, or is publishing the comment.
 */
export async function saveCommentKey(
  db: Database,
  key: DeliveryKey,
  stored: string | null,
  publishKey: string,
): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ commentKey: publishKey })
    .where(and(isDelivery(key), eq(deliveries.commentState, "due"), sql`${deliveries.commentKey} IS ${stored}`))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** How long the call for a first comment may take before it counts as lost. */
const COMMENT_CALL_MAX_MS = 5 * MINUTE_MS;

/**
 * Records the intent to write the first comment. The follow-up is due again after the call's time limit. Returns whether the
 * caller may write the comment. It may not if another process is writing the comment or taking the post down.
 */
export async function writeCommentIntent(db: Database, key: DeliveryKey): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ commentState: "sending", checkAt: sql`${NOW} + ${COMMENT_CALL_MAX_MS}` })
    .where(and(isDelivery(key), staysLive, eq(deliveries.commentState, "due")))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** A first comment as it was last read or written. */
export interface StoredComment {
  state: CommentState;
  /**
   * How often the comment was postponed. If null, the number is not compared with the row: the one call for the comment was
   * answered, so no other process knows more.
   */
  tries: number | null;
}

/**
 * Records the outcome of a first comment, and when the delivery is due again (epoch milliseconds; null: never). Writes
 * nothing if the comment has changed since `stored` was read. So a process that stalled while another process wrote the
 * comment changes nothing.
 */
export async function settleFirstComment(
  db: Database,
  key: DeliveryKey,
  stored: StoredComment,
  { state, detail, networkMessage }: CommentOutcome,
  dueAt: number | null,
): Promise<void> {
  await db
    .update(deliveries)
    .set({
      commentState: state,
      checkAt: unlessTakenDown(dueAt),
      ...(detail === null ? {} : { detail, networkMessage: networkMessage ?? null }),
      ...(state === "due" || state === "sending"
        ? { commentTries: sql`${deliveries.commentTries} + 1` }
        : { commentKey: null }),
    })
    .where(
      and(
        isDelivery(key),
        eq(deliveries.commentState, stored.state),
        stored.tries === null ? undefined : eq(deliveries.commentTries, stored.tries),
      ),
    );
}
