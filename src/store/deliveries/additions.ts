// The additions of live deliveries. Each write is made only while the row has what its writer has read.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Additions } from "../../domain/delivery/additions.ts";
import { MINUTE_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries } from "../db/schema.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { staysLive, unlessTakenDown } from "./follow-ups.ts";

/** What SQL's `replace` takes to make of additions that are due those of which the calls were begun. */
export const DUE_AS_SENDING = `'"state":"due"', '"state":"sending"'`;
/** Stored additions, those that are due as if their calls had been begun. */
export const asSending = (additions: SQL): SQL => sql`replace(${additions}, ${sql.raw(DUE_AS_SENDING)})`;

/** How long a call may be under way before it is said to have broken off. */
const CALL_MAX_MS = 5 * MINUTE_MS;

/** Writes the intent to make an addition. Returns whether it may be made: nobody else makes it, nor takes its post down. */
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

/** Writes what became of an addition, and when the delivery is due again (epoch milliseconds; null: never). */
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
