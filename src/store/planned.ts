// Deliveries that have not come due yet: what is needed to tell ahead whether they would go out.
import { and, asc, eq, getTableColumns, gt, lte, sql } from "drizzle-orm";
import { type Database, NOW } from "./db.ts";
import type { DeliveryRow } from "./deliveries.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { type EventRow, insertEvents } from "./events.ts";
import { isUnfinished } from "./overdue.ts";
import { channels, deliveries, events, media, mediaUses, posts } from "./schema.ts";
import { fanOut, toHear } from "./webhooks.ts";

/** Deliveries of all workspaces that come due after `from` and until `until` (epoch milliseconds) and wait for it. */
export async function plannedBetween(
  db: Database,
  from: number,
  until: number,
  limit: number,
): Promise<(DeliveryKey & { dueAt: number })[]> {
  return db
    .select({
      workspaceId: deliveries.workspaceId,
      postId: deliveries.postId,
      channelId: deliveries.channelId,
      dueAt: sql<number>`${posts.dueAt}`,
    })
    .from(posts)
    .crossJoin(deliveries)
    .where(
      and(
        isUnfinished,
        gt(posts.dueAt, from),
        lte(posts.dueAt, until),
        eq(deliveries.workspaceId, posts.workspaceId),
        eq(deliveries.postId, posts.id),
        eq(deliveries.state, "pending"),
      ),
    )
    .orderBy(asc(posts.dueAt))
    .limit(limit);
}

export interface Planned {
  delivery: DeliveryRow;
  post: typeof posts.$inferSelect;
  channel: typeof channels.$inferSelect;
  media: (typeof media.$inferSelect)[];
}

/** A delivery that waits for its time; null when it does not any more. */
export async function getPlanned(db: Database, key: DeliveryKey): Promise<Planned | null> {
  const { workspaceId, postId, channelId } = key;
  const [[delivery], [post], [channel], files] = await db.batch([
    db
      .select()
      .from(deliveries)
      .where(and(isDelivery(key), eq(deliveries.state, "pending"), gt(deliveries.nextAt, NOW))),
    db
      .select()
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId))),
    db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, channelId))),
    db
      .select(getTableColumns(media))
      .from(mediaUses)
      .innerJoin(media, and(eq(mediaUses.workspaceId, media.workspaceId), eq(mediaUses.mediaId, media.id)))
      .where(and(eq(mediaUses.workspaceId, workspaceId), eq(mediaUses.postId, postId))),
  ]);
  if (delivery === undefined || post === undefined || channel === undefined) return null;
  return { delivery, post, channel, media: files };
}

/** Writes that a delivery that still waits would fail, once for each `fence`. Returns the endpoints that have to hear of it. */
export async function noteRisk(db: Database, key: DeliveryKey, event: EventRow, fence: number): Promise<string[]> {
  const { workspaceId, postId, channelId } = key;
  const [, messages] = await db.batch([
    insertEvents(
      db,
      { ...key, ...event, fence },
      sql`FROM ${deliveries} WHERE ${isDelivery(key)} AND ${deliveries.state} = 'pending'`,
    ),
    fanOut(
      db,
      sql`${events}`,
      sql`${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${postId} AND ${events.channelId} = ${channelId}
        AND ${events.fence} = ${fence} AND ${events.event} = ${event.event} AND ${events.id} = ${event.id}`,
    ),
  ]);
  return toHear(messages);
}
