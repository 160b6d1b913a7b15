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
/** How many queues it changes. The next sweep reads the workspace of the first other one again. */
const CHANGED_MAX = 50;

export interface QueueCursors {
  /** `after`: the last workspace that was read; `endedAt`: epoch milliseconds, null: the walk has not ended. */
  queues?: { after: string; endedAt: number | null };
}

export async function warnOfLowQueues(ctx: Context, db: Database, cursors: QueueCursors): Promise<void> {
  const { after = "", endedAt = null } = cursors.queues ?? {};
  if (endedAt !== null && ctx.now() < endedAt + HOUR_MS) return;
  const from = endedAt === null ? after : "";
  const { queues, last } = await readQueues(db, { after: from, limit: READ_MAX });
  const changes = queues.flatMap((queue) => {
    const change = decideQueue(queue, ctx.now());
    return change === null ? [] : [{ queue, change }];
  });
  for (const { queue, change } of changes.slice(0, CHANGED_MAX)) {
    try {
      await record(ctx, db, queue, change);
    } catch (error) {
      const { workspaceId: workspace, id } = queue;
      log("error", "sweep_failed", { operation: "warn_queues", workspace, channel: id, error: errorText(error) });
    }
  }
  const next = changes[CHANGED_MAX]?.queue.workspaceId;
  if (next !== undefined) {
    const before = queues.findLast(({ workspaceId }) => workspaceId < next)?.workspaceId ?? from;
    cursors.queues = { after: before, endedAt: null };
  } else cursors.queues = last === null ? { after: "", endedAt: ctx.now() } : { after: last, endedAt: null };
}

async function record(ctx: Context, db: Database, queue: QueueRow, change: "filled" | "low"): Promise<void> {
  if (change === "filled") return markQueueFilled(db, queue);
  const event = queueEvent({ now: ctx.now(), entropy: ctx.entropy }, queue);
  const endpoints = await recordLowQueue(db, queue, event);
  if (endpoints.length > 0) await ctx.webhooks.wake(queue.workspaceId, endpoints);
}
