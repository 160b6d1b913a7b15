// The additions of live deliveries. Each write applies only if the row still has the value that its writer read.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Additions } from "../../domain/delivery/additions.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { staysLive, unlessTakenDown } from "./follow-ups.ts";

/** The arguments of SQL's `replace` that turn due additions into additions whose calls have begun. */
export const DUE_AS_SENDING = `'"state":"due"', '"state":"sending"'`;
/** Stored additions, with the due ones marked as if their calls had begun. */
export const asSending = (additions: SQL): SQL => sql`replace(${additions}, ${sql.raw(DUE_AS_SENDING)})`;

/** How long a call may take before it counts as lost. */
const CALL_MAX_MS = 5 * MINUTE_MS;

/**
 * Records the intent to make an addition. Returns whether the caller may make it: no other process makes it or takes
 * its post down.
 */
export async function writeAdditionIntent(
  db: Database,
  key: DeliveryKey,
  from: string,
  sending: string,
): Promise<boolean> {
  const rows = await db
    .update(deliveries)
    .set({ additions: sending, checkAt: sql`${NOW} + ${CALL_MAX_MS}` })
    .where(and(isDelivery(key), staysLive, eq(deliveries.additions, from)))
    .returning({ id: deliveries.id });
  return rows.length === 1;
}

/** Records the outcome of an addition, and when the delivery is due again (epoch milliseconds; null: never). */
export async function settleAdditions(
  db: Database,
  key: DeliveryKey,
  from: string,
  to: Additions,
  dueAt: number | null,
): Promise<void> {
  await db
    .update(deliveries)
    .set({ additions: JSON.stringify(to), checkAt: unlessTakenDown(dueAt) })
    .where(and(isDelivery(key), eq(deliveries.additions, from)));
}
