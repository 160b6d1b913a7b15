import type { Context } from "../../context.ts";
import type { takeDown as contract } from "../../contract/deliveries.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import type { FollowUpTask } from "../../domain/job.ts";
import { refuse } from "../../domain/refusal.ts";
import { networkOf } from "../../networks/index.ts";
import type { DeliveryRow } from "../../store/deliveries/due.ts";
import { askForTakedown } from "../../store/deliveries/takedowns.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { findDelivery, getDelivery, usableChannel } from "./one-delivery.ts";
import { deliveryView } from "./view.ts";

/** How long the caller waits for the network's word: most answer in one of the first pauses. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200];

/** The channel's publisher asks the network; what it finds out later shows in the delivery. */
export const takeDown: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const find = () => findDelivery(ctx, workspaceId, params);
  const before = await getDelivery(ctx, workspaceId, params);
  if (networkOf(before.platform)?.takeDown === undefined) throw refuse("takedown_not_offered");
  if (before.state === "removed") return ok(deliveryView(before));
  if (before.state !== "live") throw notLive(before);
  const channel = await usableChannel(ctx, workspaceId, params.channel);
  const key = { workspaceId, postId: params.id, channelId: params.channel };
  const isAsked = await askForTakedown(db, key);
  // What is lost here is found by the sweeper.
  if (isAsked) {
    const task: FollowUpTask = { kind: "verify", channel: params.channel, posts: [params.id] };
    await ctx.publishers.followUp(workspaceId, channel.lane, task).catch(() => {});
  }
  const after = (await (isAsked ? untilTold(ctx, find) : find())) ?? before;
  if (after.state === "removed") return ok(deliveryView(after));
  if (after.state !== "live") throw notLive(after);
  if (after.takedownState === "due") return { status: 202, body: deliveryView(after) };
  throw refuse("takedown_refused", after.detail === null ? {} : { message: sentence(after.detail) });
};

/** The delivery, once somebody knows what became of it, or when the caller has waited long enough. */
async function untilTold(ctx: Context, find: () => Promise<DeliveryRow | undefined>): Promise<DeliveryRow | undefined> {
  for (const ms of PAUSES_MS) {
    await ctx.pause(ms);
    const row = await find();
    // A try that had no clear answer is made again in a minute at the earliest.
    if (row?.takedownState !== "due" || row.takedownTries > 0) return row;
  }
  return find();
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const notLive = ({ state }: DeliveryRow) =>
  refuse("delivery_not_live", { message: `The delivery is ${STATUS_OF[state]}.` });
