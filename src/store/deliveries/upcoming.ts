// Deliveries that are not due yet, with the data to predict whether they will fail.
import { and, asc, eq, getTableColumns, gt, gte, lte, sql } from "drizzle-orm";
import type { EventRecord } from "../../domain/event-body.ts";
import { isChannel } from "../channels/channel-key.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { channels, deliveries, media, mediaUses, posts } from "../db/schema.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import type { DeliveryRow } from "./due.ts";
import { noteStatements } from "./notes.ts";
import { isUnfinished } from "./overdue.ts";

/** A position in the list of all upcoming posts, which is ordered by due time. */
export interface UpcomingCursor {
  /** Epoch milliseconds. */
  dueAt: number;
  workspaceId: string;
  postId: string;
}

// Written into the SQL instead of bound as a parameter, because SQLite uses a partial index only then.
const hasOwnTimes = sql`${posts.status} = 'scheduled' AND instr(${posts.overrides}, '"publish_at":') > 0`;

/**
 * Finds pending deliveries across all workspaces that are due by `until` (epoch milliseconds): those of the first `limit`
 * posts that follow the position `after`, and those of earlier posts that come due only now, because a channel has
 * a time of its own. `next` is the position to continue from, or null if no posts are left.
 */
export async function upcomingDeliveries(
  db: Database,
  after: UpcomingCursor,
  until: number,
  limit: number,
): Promise<{ upcoming: (DeliveryKey & { lane: number })[]; next: UpcomingCursor | null }> {
  const { dueAt, workspaceId, postId } = after;
  const cursorColumns = {
    dueAt: sql<number>`${posts.dueAt}`.as("due_at"),
    workspaceId: posts.workspaceId,
    postId: posts.id,
  };
  const place = sql`(${posts.dueAt}, ${posts.workspaceId}, ${posts.id})`;
  const isAhead = and(isUnfinished, lte(posts.dueAt, until), sql`${place} > (${dueAt}, ${workspaceId}, ${postId})`);
  const columns = {
    workspaceId: deliveries.workspaceId,
    postId: deliveries.postId,
    channelId: deliveries.channelId,
    lane: channels.lane,
  };
  const isDueByThen = and(eq(deliveries.state, "pending"), lte(deliveries.nextAt, until));
  const isItsChannel = and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId));
  const inOrder = [asc(posts.dueAt), asc(posts.workspaceId), asc(posts.id)];
  const page = db
    .select(cursorColumns)
    .from(posts)
    .where(isAhead)
    .orderBy(...inOrder)
    .limit(limit)
    .as("page");
  const {
    upcoming,
    later,
    last: [last],
  } = await batch(db, {
    upcoming: db
      .select(columns)
      .from(page)
      .crossJoin(deliveries)
      .crossJoin(channels)
      .where(
        and(
          eq(deliveries.workspaceId, page.workspaceId),
          eq(deliveries.postId, page.postId),
          isDueByThen,
          isItsChannel,
        ),
      ),
    later: db
      .select(columns)
      .from(posts)
      .crossJoin(deliveries)
      .crossJoin(channels)
      .where(
        and(
          hasOwnTimes,
          lte(posts.dueAt, until),
          sql`${place} <= (${dueAt}, ${workspaceId}, ${postId})`,
          eq(deliveries.workspaceId, posts.workspaceId),
          eq(deliveries.postId, posts.id),
          isDueByThen,
          gte(deliveries.nextAt, dueAt),
          isItsChannel,
        ),
      )
      .limit(limit),
    last: db
      .select(cursorColumns)
      .from(posts)
      .where(isAhead)
      .orderBy(...inOrder)
      .limit(1)
      .offset(limit - 1),
  });
  return { upcoming: [...upcoming, ...later], next: last ?? null };
}

export interface Upcoming {
  delivery: DeliveryRow;
  post: typeof posts.$inferSelect;
  channel: typeof channels.$inferSelect;
  media: (typeof media.$inferSelect)[];
}

/** Reads a delivery that is still waiting for its time, with all that is needed to check it. Otherwise returns null. */
export async function getUpcoming(db: Database, key: DeliveryKey): Promise<Upcoming | null> {
  const { workspaceId, postId, channelId } = key;
  const {
    delivery: [delivery],
    post: [post],
    channel: [channel],
    media: files,
  } = await batch(db, {
    delivery: db
      .select()
      .from(deliveries)
      .where(and(isDelivery(key), eq(deliveries.state, "pending"), gt(deliveries.nextAt, NOW))),
    post: db
      .select()
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, postId))),
    channel: db.select().from(channels).where(isChannel(workspaceId, channelId)),
    media: db
      .select(getTableColumns(media))
      .from(mediaUses)
      .innerJoin(media, and(eq(mediaUses.workspaceId, media.workspaceId), eq(mediaUses.mediaId, media.id)))
      .where(and(eq(mediaUses.workspaceId, workspaceId), eq(mediaUses.postId, postId))),
  });
  if (delivery === undefined || post === undefined || channel === undefined) return null;
  return { delivery, post, channel, media: files };
}

/** Records, once for each `dedupeKey`, that a waiting delivery would fail. Returns the endpoints to notify. */
export async function noteRisk(
  db: Database,
  key: DeliveryKey,
  event: EventRecord,
  dedupeKey: number,
): Promise<string[]> {
  const isWaiting = eq(deliveries.state, "pending");
  const { messages } = await batch(db, noteStatements(db, key, event, dedupeKey, isWaiting));
  return endpointsToNotify(messages);
}
