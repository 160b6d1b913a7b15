// Gives up a follow-up step that has repeatedly ended its object. Later steps stay due: a first comment that was never tried
// is still made after a thumbnail that was given up.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { unclearEdit } from "../domain/delivery/edit.ts";
import {
  describeFollowUp,
  type FollowUpOutcome,
  type FollowUpStep,
  nameFollowUpStep,
} from "../domain/delivery/follow-up.ts";
import { unclearTakedown } from "../domain/delivery/takedown.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { FollowUpRow } from "../store/deliveries/follow-up-rows.ts";
import { type FollowUp, rescheduleFollowUp } from "../store/deliveries/follow-ups.ts";
import { recordOutcome } from "./record.ts";

const WHY = "our own work on it failed again and again";

/**
 * Ends a step of a follow-up as it was read. A step that may have called the network becomes `unknown`; a step that was not
 * sent has failed.
 */
export async function giveUpFollowUp(
  { ctx }: DeliveryTools,
  read: FollowUp,
  step: FollowUpStep<FollowUpRow>,
): Promise<void> {
  const { delivery } = read;
  if (step.work !== undefined) await recordOutcome(ctx, read, step.work, decideGivenUp(step));
  else await untilKnown(ctx, () => rescheduleFollowUp(ctx.databaseOf(delivery.workspaceId), read, null));
  const { workspaceId: workspace, postId: post, channelId: channel, platform } = delivery;
  log("error", "follow_up_given_up", { workspace, post, channel, platform, operation: nameFollowUpStep(step) });
}

function decideGivenUp(step: Exclude<FollowUpStep<FollowUpRow>, { is: "search" | "recheck" }>): FollowUpOutcome {
  if (step.is !== "option") return step.is === "edit" ? unclearEdit({}) : unclearTakedown({});
  const move = step.work.state === "sending" ? "lost" : "refused";
  return { move, nextAt: null, detail: `${describeFollowUp(step.kind)}: ${WHY}` };
}
