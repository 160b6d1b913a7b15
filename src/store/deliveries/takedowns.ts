// Takedowns of live deliveries, on request of their owner. The network is called later, by a follow-up of the delivery.
import { and, isNotNull, or, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { TakedownOutcome } from "../../domain/delivery/takedown.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { endFollowUpWork } from "./follow-up-rows.ts";
import { isRemoved, removedNow } from "./follow-ups.ts";
import { mayMove } from "./moves.ts";
import { isThreadBegun } from "./stop-unsent.ts";

/** Matches a live delivery, or a stopped thread with live parts. */
const isOut = (key: DeliveryKey) =>
  and(isDelivery(key), or(mayMove("taken_down"), and(mayMove("parts_taken_down"), isThreadBegun)));

/** Requests the takedown of a live delivery, unless one is already due. Returns whether this call requested it. */
export async function askForTakedown(db: Database, key: DeliveryKey, entry: AuditEntry): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db
      .update(deliveries)
      .set({ takedownState: "due", takedownTries: 0, checkAt: NOW })
      .where(and(isOut(key), sql`${deliveries.takedownState} IS NOT 'due'`))
      .returning({ id: deliveries.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}

/** Records that one part of a thread has been removed while other parts remain. */
export async function notePartGone(db: Database, key: DeliveryKey, position: number): Promise<void> {
  await db
    .update(deliveries)
    .set({ takedownTries: 0, parts: goneParts(position) })
    .where(and(isOut(key), isNotNull(deliveries.takedownState)));
}

const goneParts = (position: number) => sql`json_set(${deliveries.parts}, ${`$[${position}].removed`}, json('true'))`;

/**
 * Records the outcome of a takedown. `nextAt`: when the next follow-up of a post that stays online is due, in epoch
 * milliseconds; null if none is.
 */
export async function settleTakedown(
  db: Database,
  key: DeliveryKey,
  outcome: TakedownOutcome,
  nextAt: number | null,
  /** The thread part that the outcome is about. */
  position: number | null = null,
): Promise<void> {
  if (outcome.is === "kept") {
    const { state, detail, networkMessage = null } = outcome;
    const isAsked = and(isOut(key), isNotNull(deliveries.takedownState));
    const kept = db
      .update(deliveries)
      .set({
        takedownState: state,
        takedownTries: sql`${deliveries.takedownTries} + 1`,
        detail,
        networkMessage,
        checkAt: nextAt,
      })
      .where(isAsked);
    // Nothing is added under a post whose takedown was requested, even if the post stays online.
    if (state === "due") await kept;
    else await db.batch([endFollowUpWork(db, key, isAsked), kept]);
    return;
  }
  await db.batch([
    db
      .update(deliveries)
      .set({
        ...removedNow,
        detail: null,
        networkMessage: null,
        removedBy: "you",
        ...(position === null ? {} : { parts: goneParts(position) }),
      })
      .where(isOut(key)),
    endFollowUpWork(db, key, isRemoved),
    ...refreshPostStatus(db, key.workspaceId, key.postId),
  ]);
}
