// Takedowns of live deliveries, on request of their owner. The network is called later, by a follow-up of the delivery.
import { and, not, or, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { FOLLOW_UP_MOVES } from "../../domain/delivery/follow-up-moves.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { deliveries, followUps } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { hasTakedown, isTakedownDue, isWork, mayFollowUpMove } from "./follow-up-rows.ts";
import { mayMove } from "./moves.ts";
import { recordRemoval } from "./rechecks.ts";
import { isThreadBegun } from "./stop-unsent.ts";
import { markThreadPartRemoved } from "./thread-part-rows.ts";

/** Matches a live delivery, or a stopped thread with live parts. */
const isOut = (key: DeliveryKey) =>
  and(isDelivery(key), or(mayMove("taken_down"), and(mayMove("parts_taken_down"), isThreadBegun)));

/** Requests the takedown of a live delivery, unless one is already due. Returns whether this call requested it. */
export async function askForTakedown(db: Database, key: DeliveryKey, entry: AuditEntry): Promise<boolean> {
  const { to } = FOLLOW_UP_MOVES.asked_again;
  const { rows } = await batch(db, {
    dueNow: db
      .update(deliveries)
      .set({ checkAt: NOW })
      .where(and(isOut(key), not(isTakedownDue))),
    rows: insertFrom(
      db,
      followUps,
      { ...key, kind: "takedown", state: to },
      sql`FROM ${deliveries} WHERE ${isOut(key)}`,
    )
      .onConflictDoUpdate({
        target: [followUps.workspaceId, followUps.postId, followUps.channelId, followUps.kind],
        set: { state: to, tries: 0, detail: null, networkMessage: null },
        setWhere: mayFollowUpMove("asked_again"),
      })
      .returning({ kind: followUps.kind }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}

/** Records that one part of a thread has been removed while other parts remain. */
export async function recordThreadPartGone(db: Database, key: DeliveryKey, position: number): Promise<void> {
  const isTakenDown = and(isOut(key), hasTakedown(["due", "failed", "unknown"]));
  await db.batch([
    markThreadPartRemoved(db, key, position, isTakenDown),
    db.update(followUps).set({ tries: 0 }).where(isWork(key, "takedown")),
  ]);
}

/** Records that a post was taken down. `position`: the last thread part that was removed; null: there are no parts. */
export const recordTakenDown = (db: Database, key: DeliveryKey, position: number | null): Promise<void> =>
  recordRemoval(db, key, isOut(key), {
    lastTry: sql`json_set(${deliveries.lastTry}, '$.detail', NULL, '$.networkMessage', NULL)`,
    threadParts: position === null ? null : markThreadPartRemoved(db, key, position, isOut(key)),
  });
