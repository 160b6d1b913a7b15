// Taking a live post down for its owner. The call may be repeated; only the network's word ends the delivery, and an answer
// that was lost is looked for.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { askedWait, type TakenDown } from "../domain/delivery/outcome.ts";
import { settleTakedown, type TakedownOutcome } from "../domain/delivery/takedown.ts";
import { nextVerificationAt } from "../domain/delivery/verification.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { settleTakedown as writeTakedown } from "../store/deliveries/takedowns.ts";
import { withFreshToken } from "./fresh-token.ts";

/**
 * Asks the network to take a post down, and writes what became of it. Returns until when it asked to wait (epoch
 * milliseconds).
 */
export async function takeDown(
  tools: DeliveryTools,
  found: FollowUp,
  network: Network,
  context: ConnectorContext<Json>,
  post: Published<Json>,
): Promise<number | undefined> {
  const { delivery, now } = found;
  const ask = async (at: ConnectorContext<Json>) => (await network.takeDown?.(post, at)) ?? NOT_OFFERED;
  const { answer, context: current } = await withFreshToken<TakenDown>(tools, network, found.channel, context, ask);
  const isProof = answer.is !== "missing" && answer.is !== "unknown";
  const seen = isProof ? null : await network.verify(post, current);
  await settle(tools, found, settleTakedown(answer, seen, delivery.takedownTries, now));
  return askedWait(answer) ?? askedWait(seen ?? undefined);
}

const NOT_OFFERED = {
  is: "rejected",
  error: "permission_missing",
  detail: "The network offers no such call.",
} as const;

/** A takedown that nobody can ask for any more. */
export async function giveUpTakedown(tools: DeliveryTools, found: FollowUp, detail: string): Promise<void> {
  await settle(tools, found, { is: "kept", state: "failed", nextAt: null, detail });
}

async function settle({ ctx }: DeliveryTools, { delivery, now }: FollowUp, outcome: TakedownOutcome): Promise<void> {
  const { workspaceId, postId, channelId, platform, publishedAt, urlState } = delivery;
  const verifyAt = nextVerificationAt(publishedAt ?? now, urlState === "pending", now);
  const nextAt = outcome.is === "kept" ? (outcome.nextAt ?? verifyAt) : null;
  await untilKnown(ctx, () => writeTakedown(ctx.databaseOf(workspaceId), delivery, outcome, nextAt));
  const says = outcome.is === "kept" ? outcome.state : outcome.is;
  const fields = { workspace: workspaceId, post: postId, channel: channelId, platform };
  log(says === "failed" || says === "unknown" ? "warn" : "info", "takedown", { ...fields, outcome: says });
}
