import type { Context } from "../../context.ts";
import type { takeDown as contract } from "../../contract/deliveries.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import type { FollowUpTask } from "../../domain/job.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { DeliveryRow } from "../../store/deliveries/due.ts";
import { askForTakedown } from "../../store/deliveries/takedowns.ts";
import { deliveryView } from "../../views/post.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { findHomeNow } from "../home-now.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { findDelivery, getDelivery, type OneDelivery, usableChannel } from "./one-delivery.ts";

/** How long the caller waits for the network's answer: most networks answer in one of the first pauses. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200];

/** The channel's publisher calls the network. A later outcome shows in the delivery. */
export const takeDown: Run<typeof contract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  // The workspace may be moved to another database while the caller waits.
  const find = async () => {
    await findHomeNow(ctx, workspaceId);
    return findDelivery(ctx, workspaceCaller, params);
  };
  const before = await getDelivery(ctx, workspaceCaller, params);
  const view = ({ row, post }: OneDelivery) => deliveryView(row, post);
  const network = findNetwork(before.row.platform);
  if (network?.takeDown === undefined) throw refuse("takedown_not_offered");
  if (before.row.state === "removed") return ok(view(before));
  if (!mayBeTakenDown(before.row)) throw notLive(before.row);
  const channel = await usableChannel(ctx, workspaceId, params.channel);
  if (!applyTier(network.rule, channel.tier).takedown) throw refuse("takedown_not_offered");
  const key = { workspaceId, postId: params.id, channelId: params.channel };
  const entry = makeEntry(ctx, workspaceCaller, "delivery.takedown_requested", {
    target: { id: before.row.id, name: `${channel.platform} ${channel.handle}` },
    details: { post: params.id },
  });
  const isAsked = await askForTakedown(databaseToWrite(ctx, workspaceCaller), key, entry);
  // If this wake-up is lost, the sweeper finds the takedown.
  if (isAsked) {
    const task: FollowUpTask = { kind: "after_publish", channel: params.channel, posts: [params.id] };
    await ctx.publishers.followUp(workspaceId, channel.lane, task).catch(() => {});
  }
  const after = await (isAsked ? untilAnswered(ctx, find) : find());
  // The workspace was erased in the meantime.
  if (after === undefined) throw refuseNotFound("delivery");
  const { row } = after;
  if (row.state === "removed") return ok(view(after));
  if (!mayBeTakenDown(row)) throw notLive(row);
  const takedown = findTakedown(after);
  if (takedown?.state === "due") return { status: 202, body: view(after) };
  throw refuse("takedown_refused", {
    ...(takedown?.detail == null ? {} : { message: sentence(takedown.detail) }),
    networkMessage: takedown?.networkMessage ?? undefined,
  });
};

/** Returns the delivery once the outcome is known, or when the caller has waited long enough. */
async function untilAnswered(
  ctx: Context,
  find: () => Promise<OneDelivery | undefined>,
): Promise<OneDelivery | undefined> {
  for (const ms of PAUSES_MS) {
    await ctx.pause(ms);
    const delivery = await find();
    // An attempt without a clear answer is retried later (`TAKEDOWN_WAITS_MS`).
    const takedown = delivery && findTakedown(delivery);
    if (takedown?.state !== "due" || takedown.tries > 0) return delivery;
  }
  return find();
}

const findTakedown = ({ row }: OneDelivery) => row.followUps.find(({ kind }) => kind === "takedown");

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** A live delivery, or the live parts of a thread that stopped. */
const mayBeTakenDown = ({ state, publishedAt }: DeliveryRow) =>
  state === "live" || (state === "failed" && publishedAt !== null);

const notLive = ({ state }: DeliveryRow) =>
  refuse("delivery_not_live", { message: `The delivery is ${STATUS_OF[state]}.` });
