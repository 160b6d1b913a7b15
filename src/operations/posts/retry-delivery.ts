import type { retryDelivery as contract } from "../../contract/deliveries.ts";
import { takedownView } from "../../domain/delivery/follow-up-view.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { retryFailed } from "../../store/deliveries/stop-unsent.ts";
import { deliveryView } from "../../views/post.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { findDelivery, getDelivery, type OneDelivery, usableChannel } from "./one-delivery.ts";

/** The database decides which of several concurrent retries counts; the others find no failed delivery any more. */
export const retryDelivery: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const find = () => findDelivery(ctx, workspaceCaller, params);
  const before = await getDelivery(ctx, workspaceCaller, params);
  const confirmed = body.confirm_not_published === true;
  if (before.row.state === "outcome_unknown" && !confirmed) {
    throw refuse("delivery_not_retryable", {
      field: "/confirm_not_published",
      message: "It is unknown whether this delivery was published.",
      hint: "Check the network; if the post is not there, send `confirm_not_published: true`.",
    });
  }
  const channel = await usableChannel(ctx, workspaceId, params.channel);
  const key = { workspaceId, postId: params.id, channelId: params.channel };
  if (!(await retryFailed(databaseToWrite(ctx, workspaceCaller), key, confirmed))) {
    const now = await find();
    throw now === undefined ? refuseNotFound("delivery") : refuseRetry(now.row);
  }
  ctx.later(ctx.publishers.arm(workspaceId, [{ lane: channel.lane, at: ctx.now() }]));
  const { row, post } = (await find()) ?? before;
  return ok(deliveryView(row, post));
};

function refuseRetry({ state, followUps }: OneDelivery["row"]) {
  const takedown = takedownView(followUps);
  if (state !== "failed" || (takedown !== "pending" && takedown !== "unknown"))
    return refuse("delivery_not_retryable", { message: `The delivery is ${STATUS_OF[state]}.` });
  return refuse("delivery_not_retryable", {
    message:
      takedown === "pending"
        ? "The parts of this thread are being taken down."
        : "It is unknown whether the parts of this thread were taken down.",
    hint: "Make a new post once they are gone.",
  });
}
