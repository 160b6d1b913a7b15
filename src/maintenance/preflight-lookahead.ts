// Deliveries that come due in an hour, or in ten minutes, are put onto the queue for their pre-flight check.
import type { Context } from "../context.ts";
import { preflightJobs } from "../domain/channel-jobs.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Database } from "../store/db/db.ts";
import { type UpcomingPlace, upcomingDeliveries } from "../store/deliveries/upcoming.ts";

/** Minutes before a delivery is due. */
const LEADS = [60, 10] as const;
/** Posts that one sweep looks ahead for, per lead; the rest is there a minute later. */
const POSTS_MAX = 10_000;
/** A sweeper that was away for longer does not make up for it: pre-flight that comes late helps nobody. */
const AWAY_MAX_MS = 2 * MINUTE_MS;

/** How far each lead has looked ahead, by its minutes. */
export type LookedAhead = Partial<Record<number, UpcomingPlace>>;

/** Puts what comes due in an hour, or in ten minutes, onto the queue. */
export async function lookAhead(
  ctx: Pick<Context, "now" | "queue">,
  db: Database,
  places: { lookedAhead?: LookedAhead },
): Promise<void> {
  for (const minutes of LEADS) {
    const until = ctx.now() + minutes * MINUTE_MS;
    const since: UpcomingPlace = { dueAt: until - AWAY_MAX_MS, workspaceId: "", postId: "" };
    const known = places.lookedAhead?.[minutes] ?? since;
    const after = known.dueAt >= since.dueAt ? known : since;
    const { upcoming, next } = await upcomingDeliveries(db, after, until, POSTS_MAX);
    await ctx.queue.send(preflightJobs(upcoming, minutes));
    const reached = next ?? { dueAt: until + 1, workspaceId: "", postId: "" };
    places.lookedAhead = { ...places.lookedAhead, [minutes]: reached };
  }
}
