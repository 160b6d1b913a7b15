// Writes the text of a live post anew for a caller. The call sets the whole text, so it is safe to repeat. The edit ends only once
// the network has answered; if an answer was lost, a recheck finds out which text the post has.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { getAcceptedContent } from "../delivery/publication.ts";
import { sealPublishKey } from "../delivery/publish-key.ts";
import { decideEdit, editWait } from "../domain/delivery/edit.ts";
import type { Edited, RecheckOutcome } from "../domain/delivery/outcome.ts";
import type { Accepted } from "../domain/delivery/readback.ts";
import { FIRST_RECHECK_MS } from "../domain/delivery/recheck.ts";
import { deliveryEvent } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { recordEdited } from "../store/deliveries/edits.ts";
import type { FollowUpRow } from "../store/deliveries/follow-up-rows.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { withFreshToken } from "./fresh-token.ts";
import { nextDueAt, resolveRechecks } from "./next-due.ts";
import { recordOutcome } from "./record.ts";

interface ConnectedFollowUp extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** Asks the network to set the text, and records the result. Returns the end of the pause that the network asked for, if any. */
export async function editText(
  followUp: ConnectedFollowUp,
  post: Published<Json>,
  work: FollowUpRow,
): Promise<number | undefined> {
  const { tools, network, channel, context, now } = followUp;
  const accepted = getAcceptedContent(followUp);
  const edit = { ...accepted, text: work.edit?.text ?? accepted.text };
  const ask = async (freshContext: ConnectorContext<Json>) =>
    (await network.editText?.(post, edit, freshContext)) ?? NOT_OFFERED;
  const { answer, context: current } = await withFreshToken<Edited>(tools, network, channel, context, ask);
  const isProof = answer.is !== "missing" && answer.is !== "unknown";
  const recheckOutcome = isProof ? null : await recheckText(network, post, current, edit);
  const outcome = decideEdit(answer, recheckOutcome, work.tries, now);
  if (outcome.move === "edited") await recordEdit(followUp, work, edit.text, answer);
  else await recordOutcome(tools.ctx, followUp, work, outcome);
  return editWait(answer, recheckOutcome);
}

/** Compares the post with the new text. Without a way to read the text, it only says whether the post is there. */
async function recheckText(
  network: Network,
  post: Published<Json>,
  context: ConnectorContext<Json>,
  edit: Accepted,
): Promise<RecheckOutcome> {
  const outcome = await network.recheck(post, context, edit);
  return outcome.is === "there" && network.comparesAnswers === true ? { is: "there", url: outcome.url } : outcome;
}

/** Records that the post has the new text. It is compared with that text once more, as after publishing. */
async function recordEdit(followUp: ConnectedFollowUp, work: FollowUpRow, text: string, answer: Edited): Promise<void> {
  const { tools, delivery, post, now } = followUp;
  const { ctx } = tools;
  const { networkPost, workspaceId, postId, channelId, platform } = delivery;
  const publishKey =
    answer.is === "edited" && answer.publishKey !== undefined
      ? await sealPublishKey(ctx, delivery, answer.publishKey)
      : undefined;
  const event = deliveryEvent({ now: ctx.now(), entropy: ctx.entropy }, delivery, {
    event: "delivery.edited",
    attempt: delivery.sends.length,
    url: networkPost?.url ?? null,
    error: null,
    nextAttemptAt: null,
    metadata: post.metadata,
    author: work.edit?.by ?? null,
  });
  const [scheduled, compared] = [
    nextDueAt(followUp),
    resolveRechecks(followUp) === "off" ? null : now + FIRST_RECHECK_MS,
  ];
  const dueAt = compared === null ? scheduled : Math.min(compared, scheduled ?? compared);
  const count = (networkPost?.edit?.count ?? 0) + 1;
  const toNotify = await untilKnown(ctx, () =>
    recordEdited(ctx.databaseOf(workspaceId), delivery, work, { text, count, publishKey, event, dueAt }),
  );
  if (toNotify.length > 0) ctx.later(ctx.webhooks.wake(workspaceId, toNotify));
  log("info", "follow_up", {
    workspace: workspaceId,
    post: postId,
    channel: channelId,
    platform,
    outcome: "edit: done",
  });
}

const NOT_OFFERED = {
  is: "rejected",
  error: "permission_missing",
  detail: "The network offers no such call.",
} as const;
