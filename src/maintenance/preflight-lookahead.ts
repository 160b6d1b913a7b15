// Enqueues the pre-flight check of deliveries that are due in an hour or in ten minutes.
import type { Context } from "../context.ts";
import { preflightJobs } from "../domain/channel-jobs.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Database } from "../store/db/db.ts";
import { type UpcomingCursor, upcomingDeliveries } from "../store/deliveries/upcoming.ts";

/** Minutes before a delivery is due. */
const LEADS = [60, 10] as const;
/** Posts that one sweep reads per lead. The next sweep, a minute later, continues. */
const POSTS_MAX = 10_000;
/** A sweeper that was down for longer skips the gap: a late pre-flight check is of no use. */
const AWAY_MAX_MS = 2 * MINUTE_MS;

/** How far each lead has looked ahead, by its minutes. */
export type LookedAhead = Partial<Record<number, UpcomingCursor>>;

/** Enqueues deliveries that are due in an hour or in ten minutes. */
export async function lookAhead(
  ctx: Pick<Context, "now" | "queue">,
  db: Database,
  cursors: { lookedAhead?: LookedAhead },
): Promise<void> {
  for (const minutes of LEADS) {
    const until = ctx.now() + minutes * MINUTE_MS;
    const since: UpcomingCursor = { dueAt: until - AWAY_MAX_MS, workspaceId: "", postId: "" };
    const cursor = cursors.lookedAhead?.[minutes] ?? since;
    const after = cursor.dueAt >= since.dueAt ? cursor : since;
    const { upcoming, next } = await upcomingDeliveries(db, after, until, POSTS_MAX);
    await ctx.queue.send(preflightJobs(upcoming, minutes));
    const reached = next ?? { dueAt: until + 1, workspaceId: "", postId: "" };
    cursors.lookedAhead = { ...cursors.lookedAhead, [minutes]: reached };
  }
}
