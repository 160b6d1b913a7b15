// Takes a live post down for its owner. The call is safe to repeat. The delivery ends only once the network has answered; if
// an answer was lost, a recheck finds out whether the post is gone.
import type { DeliveryTools } from "../delivery/deliver.ts";
import { publishedThreadPart } from "../delivery/publish-key.ts";
import type { TakenDown } from "../domain/delivery/outcome.ts";
import { decideTakedown, takedownWait } from "../domain/delivery/takedown.ts";
import { listPresentThreadParts } from "../domain/delivery/thread.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { FollowUpRow } from "../store/deliveries/follow-up-rows.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { recordThreadPartGone } from "../store/deliveries/takedowns.ts";
import { withFreshToken } from "./fresh-token.ts";
import { recordOutcome } from "./record.ts";

interface Takedown extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/**
 * Asks the network to take a post down, and records the result. A thread is taken down part by part, starting with the last
 * part, and the first part that cannot be removed ends the attempt. Returns the end of the pause that the network asked for,
 * if any (epoch milliseconds).
 */
export async function takeDown(
  takedown: Takedown,
  post: Published<Json>,
  work: FollowUpRow,
): Promise<number | undefined> {
  const { delivery, threadParts, tools } = takedown;
  const { ctx } = tools;
  const presentThreadParts = listPresentThreadParts(threadParts).toReversed();
  const targets =
    presentThreadParts.length === 0
      ? [{ position: null, read: async () => post }]
      : presentThreadParts.map((threadPart) => ({
          position: threadPart.position,
          read: () => publishedThreadPart(ctx, delivery, threadPart),
        }));
  let { context } = takedown;
  for (const [i, { position, read }] of targets.entries()) {
    const tries = i === 0 ? work.tries : 0;
    const taken = await takeOneDown({ ...takedown, context }, await read(), tries);
    const isLast = i === targets.length - 1;
    if (position === null || isLast || taken.outcome.move !== "taken_down") {
      await recordOutcome(ctx, takedown, { kind: "takedown", state: work.state, tries }, taken.outcome, position);
      return taken.notBefore;
    }
    await untilKnown(ctx, () => recordThreadPartGone(ctx.databaseOf(delivery.workspaceId), delivery, position));
    context = taken.context;
  }
}

async function takeOneDown({ tools, network, channel, context, now }: Takedown, post: Published<Json>, tries: number) {
  const ask = async (freshContext: ConnectorContext<Json>) =>
    (await network.takeDown?.(post, freshContext)) ?? NOT_OFFERED;
  const { answer, context: current } = await withFreshToken<TakenDown>(tools, network, channel, context, ask);
  const isProof = answer.is !== "missing" && answer.is !== "unknown";
  const recheckOutcome = isProof ? null : await network.recheck(post, current);
  return {
    outcome: decideTakedown(answer, recheckOutcome, tries, now),
    notBefore: takedownWait(answer, recheckOutcome),
    context: current,
  };
}

const NOT_OFFERED = {
  is: "rejected",
  error: "permission_missing",
  detail: "The network offers no such call.",
} as const;
