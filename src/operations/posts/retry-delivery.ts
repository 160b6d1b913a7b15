import type { retryDelivery as contract } from "../../contract/posts.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { retryFailed } from "../../store/deliveries/stop-unsent.ts";
import { getPost } from "../../store/posts/posts.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { refuseUnusable } from "./check.ts";
import { deliveryView } from "./view.ts";

/** The database decides which of several retries counts; the others find that nothing has failed any more. */
export const retryDelivery: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const find = async () => {
    const found = await getPost(db, workspaceId, params.id);
    return found?.deliveries.find(({ channelId }) => channelId === params.channel);
  };
  const before = await find();
  if (before === undefined) throw refuseNotFound("delivery");
  const confirmed = body.confirm_not_published === true;
  if (before.state === "outcome_unknown" && !confirmed) {
    throw refuse("delivery_not_retryable", {
      field: "/confirm_not_published",
      message: "It is unknown whether this delivery was published.",
      hint: "Check the network; if the post is not there, send `confirm_not_published: true`.",
    });
  }
  const [channel] = await channelsByIds(db, workspaceId, [params.channel]);
  if (channel === undefined) throw refuse("channel_not_connected", { message: "The channel was disconnected." });
  refuseUnusable(channel, ctx.now());
  const key = { workspaceId, postId: params.id, channelId: params.channel };
  if (!(await retryFailed(db, key, confirmed))) {
    const now = (await find()) ?? before;
    throw refuse("delivery_not_retryable", { message: `The delivery is ${STATUS_OF[now.state]}.` });
  }
  ctx.later(ctx.publishers.arm(workspaceId, [{ lane: channel.lane, at: ctx.now() }]));
  return ok(deliveryView((await find()) ?? before));
};
