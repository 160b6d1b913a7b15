// Records what became of a piece of work of a delivery, and when its next step is due.
import { log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { type FollowUpOutcome, nextFollowUp, stateAfter } from "../domain/delivery/follow-up.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { recordFollowUp, type StoredWork } from "../store/deliveries/follow-up-rows.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { recordTakenDown } from "../store/deliveries/takedowns.ts";
import { nextDueAt } from "./next-due.ts";

/**
 * Records an outcome. `stored`: the work as it must still be in the database; `position`: the thread part that was taken down
 * last. Returns whether another step of the delivery is due now.
 */
export async function recordOutcome(
  ctx: Context,
  followUp: FollowUp,
  stored: StoredWork,
  outcome: FollowUpOutcome,
  position: number | null = null,
): Promise<boolean> {
  const { delivery, followUps, now } = followUp;
  const { kind } = stored;
  const db = ctx.databaseOf(delivery.workspaceId);
  // A takedown that ends also ends the other work.
  const others = kind === "takedown" ? [] : followUps.filter((work) => work.kind !== kind);
  const isMoreDue = outcome.nextAt === null && nextFollowUp(others) !== undefined;
  const dueAt = outcome.nextAt ?? (isMoreDue ? now : nextDueAt(followUp));
  await untilKnown(ctx, () =>
    outcome.move === "taken_down"
      ? recordTakenDown(db, delivery, position)
      : recordFollowUp(db, delivery, stored, outcome, dueAt),
  );
  const { workspaceId: workspace, postId: post, channelId: channel, platform } = delivery;
  const state = stateAfter(outcome);
  log(state === "done" ? "info" : "warn", "follow_up", {
    workspace,
    post,
    channel,
    platform,
    outcome: `${kind}: ${state}`,
  });
  return isMoreDue;
}
