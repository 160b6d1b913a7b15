// Gives up a follow-up step that has repeatedly ended its object. Later steps stay due: a first comment that was never tried
// is still made after a thumbnail that was given up.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { describeFollowUp, type FollowUpStep, nameFollowUpStep, nextFollowUp } from "../domain/delivery/follow-up.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { settleFollowUpWork } from "../store/deliveries/follow-up-rows.ts";
import { type FollowUp, rescheduleFollowUp } from "../store/deliveries/follow-ups.ts";
import { settleTakedown } from "../store/deliveries/takedowns.ts";
import { nextRecheckAt } from "./next-recheck.ts";

const WHY = "our own work on it failed again and again";

/**
 * Ends a step of a follow-up as it was read. A step that was sent and has no answer becomes `unknown`; a step that was not
 * sent has failed.
 */
export async function giveUpFollowUp({ ctx }: DeliveryTools, read: FollowUp, step: FollowUpStep): Promise<void> {
  const { delivery, followUps, now } = read;
  const db = ctx.databaseOf(delivery.workspaceId);
  const recheckAt = nextRecheckAt(read);
  const end = async () => {
    switch (step.is) {
      case "takedown": {
        const outcome = {
          is: "kept",
          state: "unknown",
          nextAt: null,
          detail: "it may not have been taken down; check the network",
        } as const;
        return settleTakedown(db, delivery, outcome, delivery.state === "live" ? recheckAt : null);
      }
      case "work": {
        const { kind } = step;
        const work = followUps.find((row) => row.kind === kind);
        if (work === undefined) return;
        const outcome = {
          move: work.state === "sending" ? "lost" : "refused",
          nextAt: null,
          detail: `${describeFollowUp(kind)}: ${WHY}`,
        } as const;
        const isMoreDue = nextFollowUp(followUps.filter((row) => row !== work)) !== undefined;
        return settleFollowUpWork(db, delivery, work, outcome, isMoreDue ? now : recheckAt);
      }
      case "search":
      case "recheck":
        return rescheduleFollowUp(db, delivery, null);
    }
  };
  await untilKnown(ctx, end);
  const { workspaceId: workspace, postId: post, channelId: channel, platform } = delivery;
  log("error", "follow_up_given_up", { workspace, post, channel, platform, operation: nameFollowUpStep(step) });
}
