// Rechecks a live post: whether it is still there, its address, whether it is as it was accepted, and its metrics.
import { log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { getAcceptedContent } from "../delivery/publication.ts";
import { publishedThreadPart } from "../delivery/publish-key.ts";
import { askedWait, type RecheckOutcome } from "../domain/delivery/outcome.ts";
import type { Readback } from "../domain/delivery/readback.ts";
import { decideRecheck, notSooner, type RecheckDecision, summarizeRecheck } from "../domain/delivery/recheck.ts";
import type { NetworkPost } from "../domain/delivery/stored-facts.ts";
import { type LiveThreadPart, listPresentThreadParts, recheckedThreadPart } from "../domain/delivery/thread.ts";
import { deliveryEvent, type EventRecord } from "../domain/event-body.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, MetricsOutcome, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { recordRecheck } from "../store/deliveries/rechecks.ts";
import { storeMetrics } from "../store/metrics.ts";
import { resolveRechecks } from "./next-due.ts";

interface ConnectedFollowUp extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/**
 * Asks whether a live post is still there, its address, and its metrics. In a thread (`threadParts`), each remaining part is
 * rechecked, and the metrics are those of the first. Returns the end of the pause that the network asked for, if any (epoch
 * milliseconds).
 */
export async function recheck(
  followUp: ConnectedFollowUp,
  first: Published<Json>,
  networkPost: NetworkPost,
): Promise<number | undefined> {
  const { tools, network, context, delivery, threadParts, now } = followUp;
  const { ctx } = tools;
  const { readback: firstReadback = null } = networkPost;
  const rechecks = resolveRechecks(followUp);
  const { platform } = delivery;
  const db = ctx.databaseOf(delivery.workspaceId);
  const publishedAt = delivery.publishedAt ?? now;
  const whole: LiveThreadPart = {
    position: 0,
    id: first.id,
    url: networkPost.url,
    urlState: networkPost.urlState,
    publishedAt,
    attempts: 0,
    publishKey: null,
    missingSince: networkPost.missingSince ?? null,
    isRemoved: false,
  };
  const recheckedThreadParts: LiveThreadPart[] = threadParts.length === 0 ? [whole] : [...threadParts];
  let readback: { readback?: Readback } = {};
  const outcomes: RecheckOutcome["is"][] = [];
  let [notBefore, nextAt]: [number | undefined, number | null] = [undefined, null];
  for (const threadPart of listPresentThreadParts(recheckedThreadParts)) {
    const { position } = threadPart;
    const published = position === 0 ? first : await publishedThreadPart(ctx, delivery, threadPart);
    // Once the network has asked to wait, the remaining parts are rechecked after that wait.
    const recheckOutcome: RecheckOutcome =
      notBefore === undefined
        ? await network.recheck(
            published,
            context,
            firstReadback !== null || position > 0 ? undefined : getAcceptedContent(followUp),
          )
        : { is: "unknown", detail: "the network asked to wait" };
    const metrics: MetricsOutcome | undefined =
      position === 0 && recheckOutcome.is === "there" ? await network.readMetrics?.(published, context) : undefined;
    if (metrics?.is === "read") await storeMetrics(db, delivery, { platform, at: publishedAt }, metrics.metrics);
    outcomes.push(recheckOutcome.is);
    notBefore ??= askedWait(recheckOutcome) ?? askedWait(metrics);
    const threadPartState = {
      ...threadPart,
      rechecks,
      // Only the first part of a thread is compared with its accepted content.
      readback: position === 0 ? firstReadback : NOT_COMPARED,
    };
    const after = decideRecheck(threadPartState, recheckOutcome, now);
    recheckedThreadParts[position] = recheckedThreadPart(threadPart, after);
    if (after.is === "kept" && after.readback !== undefined) readback = { readback: after.readback };
    if (after.is === "kept" && after.nextAt !== null) nextAt = Math.min(after.nextAt, nextAt ?? after.nextAt);
  }
  const [head = whole] = recheckedThreadParts;
  const missingSince = threadParts.length === 0 ? head.missingSince : null;
  const after: RecheckDecision =
    listPresentThreadParts(recheckedThreadParts).length === 0
      ? { is: "removed" }
      : { is: "kept", url: head.url, urlState: head.urlState, missingSince, nextAt, ...readback };
  const change = threadParts.length === 0 ? [] : recheckedThreadParts;
  const altered = alteredEvent(followUp, after);
  const decided = notSooner(after, notBefore);
  const result = summarizeRecheck(after, outcomes);
  const toNotify = await untilKnown(ctx, () =>
    recordRecheck(db, delivery, {
      after: decided,
      result,
      altered,
      edits: networkPost.edit?.count,
      threadParts: change,
    }),
  );
  if (toNotify.length > 0) ctx.later(ctx.webhooks.wake(delivery.workspaceId, toNotify));
  if (after.is === "removed") log("info", "delivery_removed", getLogFields(followUp));
  if (altered !== null) log("warn", "delivery_altered", getLogFields(followUp));
  return notBefore;
}

const NOT_COMPARED: Readback = { state: "unverifiable", altered: [] };

/** The event of a delivery that its network shows with changes, or null if nothing changed. */
function alteredEvent({ tools, delivery, post }: ConnectedFollowUp, after: RecheckDecision): EventRecord | null {
  if (after.is === "removed" || after.readback?.state !== "altered") return null;
  const attempt = delivery.sends.length;
  const { altered } = after.readback;
  const origin = { now: tools.ctx.now(), entropy: tools.ctx.entropy };
  const event = "delivery.altered";
  const news = {
    event,
    attempt,
    url: after.url,
    error: null,
    nextAttemptAt: null,
    altered,
    metadata: post.metadata,
    author: post.author,
  } as const;
  return deliveryEvent(origin, delivery, news);
}

function getLogFields({ delivery }: FollowUp) {
  const { workspaceId, postId, channelId, platform } = delivery;
  return { workspace: workspaceId, post: postId, channel: channelId, platform };
}
