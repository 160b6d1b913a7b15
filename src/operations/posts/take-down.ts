import type { takeDown as contract } from "../../contract/deliveries.ts";
import { STATUS_OF } from "../../domain/delivery/transitions.ts";
import { applyTier } from "../../domain/posts/tier.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { DeliveryRow } from "../../store/deliveries/due.ts";
import { askForTakedown } from "../../store/deliveries/takedowns.ts";
import { deliveryView } from "../../views/post.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { getDelivery, type OneDelivery, usableChannel } from "./one-delivery.ts";
import { describeRefused, findDeliveryNow, findRequest, untilAnswered } from "./until-answered.ts";

/** The channel's publisher calls the network. A later outcome shows in the delivery. */
export const takeDown: Run<typeof contract> = async (ctx, caller, { params }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
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
  const request = { kind: "takedown", lane: channel.lane } as const;
  const after = await (isAsked
    ? untilAnswered(ctx, workspaceCaller, params, request)
    : findDeliveryNow(ctx, workspaceCaller, params));
  // The workspace was erased in the meantime.
  if (after === undefined) throw refuseNotFound("delivery");
  const { row } = after;
  if (row.state === "removed") return ok(view(after));
  if (!mayBeTakenDown(row)) throw notLive(row);
  const takedown = findRequest(after, "takedown");
  if (takedown?.state === "due") return { status: 202, body: view(after) };
  throw refuse("takedown_refused", describeRefused(takedown));
};

/** A live delivery, or the live parts of a thread that stopped. */
const mayBeTakenDown = ({ state, publishedAt }: DeliveryRow) =>
  state === "live" || (state === "failed" && publishedAt !== null);

const notLive = ({ state }: DeliveryRow) =>
  refuse("delivery_not_live", { message: `The delivery is ${STATUS_OF[state]}.` });
