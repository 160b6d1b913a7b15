// The first comments of live deliveries. Each write is made only while the row has what its writer has read.
import { and, eq, sql } from "drizzle-orm";
import type { CommentOutcome, CommentState } from "../../domain/delivery/first-comment.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { staysLive, unlessTakenDown } from "./follow-ups.ts";

/**
 * Makes the handle under which a first comment is published durable. `stored`: the one that was read. Returns false when
 * somebody else has stored another meanwhile, or publishes the comment.
 */
export async function saveCommentHandle(
  db: Database,
  key: DeliveryKey,
  stored: string | null,
  handle: string,
): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ commentHandle: handle })
    .where(and(isDelivery(key), eq(deliveries.commentState, "due"), sql`${deliveries.commentHandle} IS ${stored}`))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** How long the call for a first comment may be under way before it is said to have broken off. */
const COMMENT_CALL_MAX_MS = 5 * MINUTE_MS;

/**
 * Writes the intent to make the first comment; the follow-up is due again when the call has had its time. Returns whether
 * it may be made: nobody else makes it, nor takes its post down.
 */
export async function writeCommentIntent(db: Database, key: DeliveryKey): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ commentState: "sending", checkAt: sql`${NOW} + ${COMMENT_CALL_MAX_MS}` })
    .where(and(isDelivery(key), staysLive, eq(deliveries.commentState, "due")))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** A first comment as it was read or written last. */
export interface StoredComment {
  state: CommentState;
  /** How often it was put off; null: that does not matter, because its one call was answered, and nobody knows more. */
  tries: number | null;
}

/**
 * Writes what became of a first comment, and when the delivery is due again (epoch milliseconds; null: never). Nothing is
 * written when it is not `stored` so any more: who stood still while another process made the comment knows less.
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
        : { commentHandle: null }),
    })
    .where(
      and(
        isDelivery(key),
        eq(deliveries.commentState, stored.state),
        stored.tries === null ? undefined : eq(deliveries.commentTries, stored.tries),
      ),
    );
}
