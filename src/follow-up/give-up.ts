// Gives up a follow-up step that has repeatedly ended its object. Later steps stay due: a first comment that was never tried
// is still made after a thumbnail that was given up.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { nextAddition, parseAdditions, withAddition } from "../domain/delivery/additions.ts";
import { isCommentDue } from "../domain/delivery/first-comment.ts";
import { type FollowUpStep, nameFollowUpStep } from "../domain/delivery/follow-up.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { settleAdditions } from "../store/deliveries/additions.ts";
import { settleFirstComment } from "../store/deliveries/first-comments.ts";
import { type FollowUp, rescheduleFollowUp } from "../store/deliveries/follow-ups.ts";
import { settleTakedown } from "../store/deliveries/takedowns.ts";
import { nextRecheckAt } from "./next-recheck.ts";

const WHY = "our own work on it failed again and again";

/**
 * Ends a step of a follow-up as it was read. A step that was sent and has no answer becomes `unknown`; a step that was not
 * sent has failed.
 */
export async function giveUpFollowUp({ ctx }: DeliveryTools, read: FollowUp, step: FollowUpStep): Promise<void> {
  const { delivery, now } = read;
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
      case "addition": {
        const before = parseAdditions(delivery);
        const { tries = 0, state } = before[step.name] ?? {};
        const detail = `\`${step.name}\`: ${WHY}`;
        const after = withAddition(before, step.name, {
          state: state === "sending" ? "unknown" : "failed",
          tries,
          detail,
        });
        const isMoreDue = nextAddition(after) !== undefined || isCommentDue(delivery);
        return settleAdditions(db, delivery, delivery.additions ?? "", after, isMoreDue ? now : recheckAt);
      }
      case "comment": {
        const { commentState, commentTries: tries } = delivery;
        const state = commentState === "sending" ? "unknown" : "failed";
        const outcome = { state, nextAt: null, detail: `the first comment: ${WHY}` } as const;
        return settleFirstComment(db, delivery, { state: commentState ?? "due", tries }, outcome, recheckAt);
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
