// Live deliveries that their owner wants taken down: the follow-up of such a delivery asks the network.
import { and, isNotNull, sql } from "drizzle-orm";
import type { TakedownOutcome } from "../../domain/delivery/takedown.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { refreshPostStatus } from "../posts/status.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { removedNow } from "./follow-ups.ts";
import { mayMove } from "./moves.ts";

const isLive = (key: DeliveryKey) => and(isDelivery(key), mayMove("taken_down"));

/** Has a live delivery taken down, unless that is asked for already. Returns whether it is asked for anew. */
export async function askForTakedown(db: Database, key: DeliveryKey): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ takedownState: "due", takedownTries: 0, checkAt: NOW })
    .where(and(isLive(key), sql`${deliveries.takedownState} IS NOT 'due'`))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** Writes what became of a takedown. `nextAt`: when a delivery that stays is followed up again (epoch milliseconds; null: never). */
export async function settleTakedown(
  db: Database,
  key: DeliveryKey,
  outcome: TakedownOutcome,
  nextAt: number | null,
): Promise<void> {
  if (outcome.is === "kept") {
    const { state, detail } = outcome;
    await db
      .update(deliveries)
      .set({
        takedownState: state,
        takedownTries: sql`${deliveries.takedownTries} + 1`,
        detail,
        checkAt: nextAt,
      })
      .where(and(isLive(key), isNotNull(deliveries.takedownState)));
    return;
  }
  await db.batch([
    db
      .update(deliveries)
      .set({ ...removedNow, detail: null, removedBy: "you" })
      .where(isLive(key)),
    ...refreshPostStatus(db, key.workspaceId, key.postId),
  ]);
}
