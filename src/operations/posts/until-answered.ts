// Waits for the outcome of a request for a live delivery, which its publisher carries out.
import type { Context } from "../../context.ts";
import type { REQUEST_KINDS } from "../../domain/delivery/follow-up-moves.ts";
import type { FollowUpTask } from "../../domain/job.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { findHomeNow } from "../home-now.ts";
import { type DeliveryParams, findDelivery, type OneDelivery } from "./one-delivery.ts";

/** How long the caller waits for the network's answer: most networks answer in one of the first pauses. */
const PAUSES_MS = [50, 100, 200, 400, 800, 1_600, 3_200];

/** The takedown or the edit of a delivery; undefined if none was requested. */
export const findRequest = ({ row }: OneDelivery, kind: (typeof REQUEST_KINDS)[number]) =>
  row.followUps.find((work) => work.kind === kind);

/** Reads the delivery where its workspace is now, because the workspace may be moved to another database while the caller waits. */
export async function findDeliveryNow(
  ctx: Context,
  caller: WorkspaceCaller,
  params: DeliveryParams,
): Promise<OneDelivery | undefined> {
  await findHomeNow(ctx, caller.workspaceId);
  return findDelivery(ctx, caller, params);
}

/** Wakes the publisher of a channel, and returns the delivery once the outcome is known, or when the caller has waited long enough. */
export async function untilAnswered(
  ctx: Context,
  caller: WorkspaceCaller,
  params: DeliveryParams,
  { kind, lane }: { kind: (typeof REQUEST_KINDS)[number]; lane: number },
): Promise<OneDelivery | undefined> {
  // If this wake-up is lost, the sweeper finds the request.
  const task: FollowUpTask = { kind: "after_publish", channel: params.channel, posts: [params.id] };
  await ctx.publishers.followUp(caller.workspaceId, lane, task).catch(() => {});
  for (const ms of PAUSES_MS) {
    await ctx.pause(ms);
    const delivery = await findDeliveryNow(ctx, caller, params);
    // An attempt without a clear answer is retried later (`REQUEST_WAITS_MS`).
    const request = delivery && findRequest(delivery, kind);
    if (request?.state !== "due" || request.tries > 0) return delivery;
  }
  return findDeliveryNow(ctx, caller, params);
}

/** The reason of a request that was refused, for people. */
export const describeRefused = (request: { detail: string | null; networkMessage: string | null } | undefined) => ({
  ...(request?.detail == null ? {} : { message: sentence(request.detail) }),
  networkMessage: request?.networkMessage ?? undefined,
});

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
