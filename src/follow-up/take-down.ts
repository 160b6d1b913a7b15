// Takes a live post down for its owner. The call is safe to repeat. The delivery ends only once the network has answered; if
// an answer was lost, a recheck finds out whether the post is gone.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { publishedPart } from "../delivery/publish-key.ts";
import type { TakenDown } from "../domain/delivery/outcome.ts";
import { settleTakedown, type TakedownOutcome, takedownWait } from "../domain/delivery/takedown.ts";
import { parseLiveParts, partsThere } from "../domain/delivery/thread.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { notePartGone, settleTakedown as writeTakedown } from "../store/deliveries/takedowns.ts";
import { withFreshToken } from "./fresh-token.ts";
import { nextRecheckAt } from "./next-recheck.ts";

/**
 * Asks the network to take a post down, and writes the result. A thread is taken down part by part, starting with the last
 * part, and the first part that cannot be removed ends the attempt. Returns the end of the pause that the network asked for,
 * if any (epoch milliseconds).
 */
export async function takeDown(
  tools: DeliveryTools,
  followUp: FollowUp,
  network: Network,
  context: ConnectorContext<Json>,
  post: Published<Json>,
): Promise<number | undefined> {
  const { delivery } = followUp;
  const { ctx } = tools;
  const parts = partsThere(parseLiveParts(delivery)).toReversed();
  if (parts.length === 0) {
    const { outcome, notBefore } = await takeOneDown(tools, followUp, network, context, post, delivery.takedownTries);
    await settle(tools, followUp, outcome);
    return notBefore;
  }
  let currentContext = context;
  for (const [i, { part, position }] of parts.entries()) {
    const partPost = await publishedPart(ctx, delivery, part);
    const tries = i === 0 ? delivery.takedownTries : 0;
    const {
      outcome,
      notBefore,
      context: current,
    } = await takeOneDown(tools, followUp, network, currentContext, partPost, tries);
    const isLast = i === parts.length - 1;
    if (outcome.is === "kept" || isLast) await settle(tools, followUp, outcome, position);
    else await untilKnown(ctx, () => notePartGone(ctx.databaseOf(delivery.workspaceId), delivery, position));
    if (outcome.is === "kept" || isLast) return notBefore;
    currentContext = current;
  }
}

async function takeOneDown(
  tools: DeliveryTools,
  { channel, now }: FollowUp,
  network: Network,
  context: ConnectorContext<Json>,
  post: Published<Json>,
  tries: number,
) {
  const ask = async (freshContext: ConnectorContext<Json>) =>
    (await network.takeDown?.(post, freshContext)) ?? NOT_OFFERED;
  const { answer, context: current } = await withFreshToken<TakenDown>(tools, network, channel, context, ask);
  const isProof = answer.is !== "missing" && answer.is !== "unknown";
  const recheckOutcome = isProof ? null : await network.verify(post, current);
  return {
    outcome: settleTakedown(answer, recheckOutcome, tries, now),
    notBefore: takedownWait(answer, recheckOutcome),
    context: current,
  };
}

const NOT_OFFERED = {
  is: "rejected",
  error: "permission_missing",
  detail: "The network offers no such call.",
} as const;

/**
 * Ends a takedown that can no longer be requested because the channel is not connected. An earlier call may have succeeded
 * without its answer being recorded, so the outcome is unknown.
 */
export async function giveUpTakedown(tools: DeliveryTools, followUp: FollowUp): Promise<void> {
  const detail = "it may not have been taken down; check the network: the channel is not connected";
  await settle(tools, followUp, { is: "kept", state: "unknown", nextAt: null, detail });
}

async function settle(
  { ctx }: DeliveryTools,
  followUp: FollowUp,
  outcome: TakedownOutcome,
  position: number | null = null,
): Promise<void> {
  const { delivery } = followUp;
  const { workspaceId, postId, channelId, platform, state } = delivery;
  // Only live deliveries are rechecked, and a stopped thread is not live.
  const verifyAt = state === "live" ? nextRecheckAt(followUp) : null;
  const nextAt = outcome.is === "kept" ? (outcome.nextAt ?? verifyAt) : null;
  await untilKnown(ctx, () => writeTakedown(ctx.databaseOf(workspaceId), delivery, outcome, nextAt, position));
  const outcomeName = outcome.is === "kept" ? outcome.state : outcome.is;
  const fields = { workspace: workspaceId, post: postId, channel: channelId, platform };
  log(outcomeName === "failed" || outcomeName === "unknown" ? "warn" : "info", "takedown", {
    ...fields,
    outcome: outcomeName,
  });
}
