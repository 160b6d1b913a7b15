// The queues of channels with slots: whether each is filled, and the event when one runs low.
import { and, eq, isNotNull, type SQL, sql } from "drizzle-orm";
import type { EventRecord } from "../../domain/event-body.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { nextWorkspaces } from "../db/next-workspaces.ts";
import { channels, deliveries, slots } from "../db/schema.ts";
import { endpointsToNotify } from "../webhooks/messages.ts";
import { tellOfChannel } from "./tell.ts";

export interface QueueRow {
  workspaceId: string;
  id: string;
  platform: string;
  handle: string;
  /** Epoch milliseconds; null: no post is queued. */
  latestAt: number | null;
  isFilled: boolean;
}

/**
 * Reads the queues of the next `limit` workspaces with slots after `after`. `last`: the last workspace that it looked at;
 * null: no workspaces are left.
 */
export async function readQueues(
  db: Database,
  { after, limit }: { after: string; limit: number },
): Promise<{ queues: QueueRow[]; last: string | null }> {
  const isServed = sql`EXISTS (SELECT 1 FROM ${slots} AS s JOIN json_each(s.slots) AS slot WHERE s.workspace_id = one.id
    AND (json_extract(slot.value, '$.channels') IS NULL
      OR EXISTS (SELECT 1 FROM json_each(slot.value, '$.channels') AS served WHERE served.value = c.id)))`;
  const latest = sql`(SELECT d.next_at FROM ${deliveries} AS d INDEXED BY deliveries_work WHERE d.workspace_id = c.workspace_id
    AND d.channel_id = c.id AND d.next_at IS NOT NULL AND d.state = 'pending' ORDER BY d.next_at DESC LIMIT 1)`;
  const rows = await db.all<{
    workspace: string | null;
    id: string | null;
    platform: string;
    handle: string;
    latest: number | null;
    filled: number | null;
  }>(
    sql`SELECT one.id AS workspace, c.id, c.platform, c.handle, ${latest} AS latest, c.queue_filled_at AS filled
      FROM ${nextWorkspaces(slots, after, limit)} AS one LEFT JOIN ${channels} AS c
        ON c.workspace_id = one.id AND c.removed_at IS NULL AND c.credential IS NOT NULL AND ${isServed}
      ORDER BY one.id IS NULL, one.id`,
  );
  const queues = rows.flatMap(({ workspace, id, platform, handle, latest: latestAt, filled }) =>
    workspace === null || id === null
      ? []
      : [{ workspaceId: workspace, id, platform, handle, latestAt, isFilled: filled !== null }],
  );
  return { queues, last: rows.at(-1)?.workspace ?? null };
}

type QueueName = Pick<QueueRow, "workspaceId" | "id">;

/** Records that a queue is filled. */
export async function markQueueFilled(db: Database, { workspaceId, id }: QueueName): Promise<void> {
  await db
    .update(channels)
    .set({ queueFilledAt: NOW })
    .where(and(eq(channels.workspaceId, workspaceId), eq(channels.id, id)));
}

/** Writes the event that a queue runs low, unless another sweep has written it. Returns the endpoints to notify. */
export async function recordLowQueue(db: Database, queue: QueueName, event: EventRecord): Promise<string[]> {
  const { workspaceId, id } = queue;
  const isFilled: SQL = sql`${channels.workspaceId} = ${workspaceId} AND ${channels.id} = ${id}
    AND ${isNotNull(channels.queueFilledAt)}`;
  const { messages } = await batch(db, {
    ...tellOfChannel(db, queue, event, isFilled),
    channel: db.update(channels).set({ queueFilledAt: null }).where(isFilled),
  });
  return endpointsToNotify(messages);
}
