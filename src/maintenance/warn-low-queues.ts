// Tells members that the queue of a channel with slots runs low. Each sweep continues a walk over the workspaces with slots,
// and a new walk begins an hour after the previous one ended, because nothing about a queue of days is urgent.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { queueEvent } from "../domain/event-body.ts";
import { HOUR_MS } from "../domain/limits.ts";
import { decideQueue } from "../domain/low-queue.ts";
import { markQueueFilled, type QueueRow, readQueues, recordLowQueue } from "../store/channels/low-queues.ts";
import type { Database } from "../store/db/db.ts";

/** How many workspaces a sweep reads. */
const READ_MAX = 50;

export interface QueueCursors {
  /** `after`: the last workspace that was read; `endedAt`: epoch milliseconds, null: the walk has not ended. */
  queues?: { after: string; endedAt: number | null };
}

export async function warnOfLowQueues(ctx: Context, db: Database, cursors: QueueCursors): Promise<void> {
  const { after = "", endedAt = null } = cursors.queues ?? {};
  if (endedAt !== null && ctx.now() < endedAt + HOUR_MS) return;
  const { queues, last } = await readQueues(db, { after: endedAt === null ? after : "", limit: READ_MAX });
  for (const queue of queues) {
    try {
      await look(ctx, db, queue);
    } catch (error) {
      const { workspaceId: workspace, id } = queue;
      log("error", "sweep_failed", { operation: "warn_queues", workspace, channel: id, error: errorText(error) });
    }
  }
  cursors.queues = last === null ? { after: "", endedAt: ctx.now() } : { after: last, endedAt: null };
}

async function look(ctx: Context, db: Database, queue: QueueRow): Promise<void> {
  const change = decideQueue(queue, ctx.now());
  if (change === null) return;
  if (change === "filled") return markQueueFilled(db, queue);
  const event = queueEvent({ now: ctx.now(), entropy: ctx.entropy }, queue);
  const endpoints = await recordLowQueue(db, queue, event);
  if (endpoints.length > 0) await ctx.webhooks.wake(queue.workspaceId, endpoints);
}
