// Events of a delivery that do not change its state.
import { type SQL, sql } from "drizzle-orm";
import type { EventRecord } from "../../domain/event-body.ts";
import type { Database } from "../db/db.ts";
import { deliveries, events } from "../db/schema.ts";
import { insertEvents, isIndexed } from "../events.ts";
import { fanOut } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";

/**
 * The statements that write an event of a delivery for which `where` is true, once for each `dedupeKey`, and its
 * messages.
 */
export function noteStatements(
  db: Database,
  key: DeliveryKey,
  event: EventRecord,
  dedupeKey: number,
  where: SQL | undefined,
) {
  const { workspaceId, postId, channelId } = key;
  return {
    event: insertEvents(
      db,
      { ...key, ...event, dedupeKey },
      sql`FROM ${deliveries} WHERE ${isDelivery(key)} AND ${where}`,
    ),
    messages: fanOut(
      db,
      sql`${events}`,
      sql`${isIndexed} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${postId} AND ${events.channelId} = ${channelId}
        AND ${events.dedupeKey} = ${dedupeKey} AND ${events.event} = ${event.event} AND ${events.id} = ${event.id}`,
    ),
  };
}
