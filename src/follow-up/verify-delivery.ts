// The follow-ups of a published post: takedown, the work of options, recheck, address, metrics, and the reconciliation of an
// unknown outcome. All of them are harmless except the work of options, whose intents are written before their calls.
import { errorText, log } from "../adapters/log.ts";
import { type DeliveryTools, proveLive } from "../delivery/deliver.ts";
import { getAcceptedContent } from "../delivery/publication.ts";
import { publishedPart, unsealPublishKey } from "../delivery/publish-key.ts";
import { nextFollowUpStep } from "../domain/delivery/follow-up.ts";
import { askedWait, type Retryable, type VerifyOutcome } from "../domain/delivery/outcome.ts";
import type { Readback } from "../domain/delivery/readback.ts";
import { type LivePart, parseLiveParts, partsThere, verifiedPart } from "../domain/delivery/thread.ts";
import { type AfterVerification, afterVerification, nextSearchAt, notSooner } from "../domain/delivery/verification.ts";
import { deliveryEvent, type EventRecord } from "../domain/event-body.ts";
import type { VerifyTask } from "../domain/job.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { findNetwork } from "../networks/index.ts";
import type { ConnectorContext, MetricsOutcome, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { Lane } from "../store/deliveries/due.ts";
import {
  type FollowUp,
  putOffFollowUps,
  readFollowUp,
  rescheduleFollowUp,
  settleVerification,
} from "../store/deliveries/follow-ups.ts";
import { storeMetrics } from "../store/metrics.ts";
import type { AskedWaits } from "./asked-waits.ts";
import { nextRecheckAt, resolveRechecks } from "./next-recheck.ts";
import { doWork } from "./option-work.ts";
import { giveUpTakedown, takeDown } from "./take-down.ts";

/** How long a channel is left alone if its network cannot be asked now. */
const PAUSE_MS = 15 * MINUTE_MS;

/** State that the sessions of one publisher share. */
export interface FollowUpTools extends DeliveryTools {
  waits: AskedWaits;
}

/** One delivery to recheck, and the data that its steps need. */
interface Verification extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** Rechecks the due deliveries of a channel one after the other, until its network asks to wait. */
export async function verifyDeliveries(tools: FollowUpTools, { workspaceId }: Lane, task: VerifyTask): Promise<void> {
  const { ctx, limiter } = tools;
  const db = ctx.databaseOf(workspaceId);
  const { channel: channelId, posts } = task;
  let since: number | null = null;
  for (const [i, postId] of posts.entries()) {
    const verifyOne = async (): Promise<Verified> => {
      const followUp = await untilKnown(ctx, () => readFollowUp(db, { workspaceId, postId, channelId }));
      if (followUp === null) return "done";
      since ??= followUp.now;
      const need = { network: followUp.channel.platform, hasFiles: false, isFollowUp: true };
      return limiter.use(need, () => verify(tools, followUp));
    };
    let verified = await verifyOne();
    while (verified === "more") verified = await verifyOne();
    if (verified === "done") continue;
    if (verified.isAsked) tools.waits.keep(channelId, verified.until);
    const { until, isDone } = verified;
    const remainingPosts = posts.slice(isDone ? i + 1 : i);
    return putOffFollowUps(db, workspaceId, channelId, remainingPosts, until, since ?? ctx.now());
  }
}

/** The channel's network must not be asked before `until` (epoch milliseconds). */
interface Pause {
  until: number;
  /** Whether the network asked for the wait. */
  isAsked: boolean;
  /** Whether the delivery under way already has its next time. The others of its channel still need one. */
  isDone: boolean;
}

/** `more`: the due step is done, and another step of the same delivery is due. */
type Verified = "done" | "more" | Pause;

/** Ends the work on a delivery. If the network asked to wait, the other deliveries of its channel wait too. */
const doneUntil = (notBefore: number | undefined): "done" | Pause =>
  notBefore === undefined ? "done" : { until: notBefore, isAsked: true, isDone: true };

/** Stops asking about any delivery of the channel. */
const pauseFrom = (now: number, notBefore: number | null | undefined): Pause => ({
  until: Math.max(now + PAUSE_MS, notBefore ?? 0),
  isAsked: false,
  isDone: false,
});

async function verify(tools: FollowUpTools, followUp: FollowUp): Promise<Verified> {
  const { delivery, channel, now } = followUp;
  const network = findNetwork(delivery.platform);
  const isTakedownDue = delivery.takedownState === "due";
  const isOver =
    delivery.state !== "live" &&
    delivery.state !== "outcome_unknown" &&
    // The live parts of a thread that stopped.
    !(delivery.state === "failed" && isTakedownDue && delivery.parts !== null);
  if (network === undefined || isOver) return putOff(tools, followUp, null);
  if (channel.notBefore !== null && channel.notBefore > now) return pauseFrom(now, channel.notBefore);
  const waitUntil = tools.waits.until(channel.id, now);
  if (waitUntil !== null) return { until: waitUntil, isAsked: false, isDone: false };
  const context = await prepareContext(tools, network, followUp);
  if (context === "disconnected") {
    if (!isTakedownDue) return putOff(tools, followUp, computeNextDueAt(followUp));
    await giveUpTakedown(tools, followUp);
    return "done";
  }
  if ("is" in context) return pauseFrom(now, context.notBefore);
  const unsealed = await unsealPublishKey(tools.ctx, delivery);
  const publishKey = unsealed === "unreadable" ? null : unsealed.publishKey;
  const verification = { ...followUp, tools, network, context };
  try {
    const step = nextFollowUpStep(delivery, followUp.followUps);
    if (step.is === "search") return await search(verification, publishKey);
    const id = delivery.netPostId;
    if (id === null) return putOff(tools, followUp, null);
    const parts = parseLiveParts(delivery);
    // A thread is identified by its first part, but its publish key is that of its last part.
    const post = parts[0] === undefined ? { id, publishKey } : await publishedPart(tools.ctx, delivery, parts[0]);
    if (step.is === "takedown") return doneUntil(await takeDown(tools, followUp, network, context, post));
    if (step.is === "work") {
      const { notBefore, isMoreDue } = await doWork(verification, post, step.kind);
      return isMoreDue && notBefore === undefined ? "more" : doneUntil(notBefore);
    }
    // A recheck is no longer wanted, unless the address of the post is still awaited.
    const isAwaited = [delivery, ...parts].some(({ urlState }) => urlState === "pending");
    if (resolveRechecks(followUp) === "off" && !isAwaited) return putOff(tools, followUp, null);
    return await verifyLive(verification, post, parts);
  } catch (error) {
    log("error", "verify_failed", { ...getLogFields(followUp), error: errorText(error) });
    return pauseFrom(now, null);
  }
}

/**
 * Asks whether a live post is still there, its address, and its metrics. In a thread (`parts`), each remaining part is
 * rechecked, and the metrics are those of the first.
 */
async function verifyLive(
  verification: Verification,
  first: Published<Json>,
  parts: LivePart[],
): Promise<"done" | Pause> {
  const { tools, network, context, delivery, now } = verification;
  const { ctx } = tools;
  const isCompared = delivery.readback !== null;
  const rechecks = resolveRechecks(verification);
  const { platform, url, urlState, missingSince: since } = delivery;
  const db = ctx.databaseOf(delivery.workspaceId);
  const publishedAt = delivery.publishedAt ?? now;
  const whole = {
    id: first.id,
    url,
    urlState,
    at: publishedAt,
    attempts: 0,
    ...(since === null ? {} : { missingSince: since }),
  };
  const verified: LivePart[] = parts.length === 0 ? [whole] : [...parts];
  let readback: { readback?: Readback } = {};
  let [notBefore, nextAt]: [number | undefined, number | null] = [undefined, null];
  for (const { part, position } of partsThere(verified)) {
    const published = position === 0 ? first : await publishedPart(ctx, delivery, part);
    // Once the network has asked to wait, the remaining parts are rechecked after that wait.
    const recheckOutcome: VerifyOutcome =
      notBefore === undefined
        ? await network.verify(
            published,
            context,
            isCompared || position > 0 ? undefined : getAcceptedContent(verification),
          )
        : { is: "unknown", detail: "the network asked to wait" };
    const metrics: MetricsOutcome | undefined =
      position === 0 && recheckOutcome.is === "there" ? await network.readMetrics?.(published, context) : undefined;
    if (metrics?.is === "read") await storeMetrics(db, delivery, { platform, at: publishedAt }, metrics.metrics);
    notBefore ??= askedWait(recheckOutcome) ?? askedWait(metrics);
    const partState = {
      publishedAt: part.at,
      rechecks,
      url: part.url,
      urlState: part.urlState,
      missingSince: part.missingSince ?? null,
      // Only the first part of a thread is compared with its accepted content.
      readback: position === 0 ? delivery.readback : NOT_COMPARED,
    };
    const after = afterVerification(partState, recheckOutcome, now);
    verified[position] = verifiedPart(part, after);
    if (after.is === "kept" && after.readback !== undefined) readback = { readback: after.readback };
    if (after.is === "kept" && after.nextAt !== null) nextAt = Math.min(after.nextAt, nextAt ?? after.nextAt);
  }
  const [head = whole] = verified;
  const missingSince = parts.length === 0 ? (head.missingSince ?? null) : null;
  const after: AfterVerification =
    partsThere(verified).length === 0
      ? { is: "removed" }
      : { is: "kept", url: head.url, urlState: head.urlState, missingSince, nextAt, ...readback };
  const change = parts.length === 0 ? undefined : { from: delivery.parts ?? "", to: verified };
  const altered = alteredEvent(verification, after);
  const settled = notSooner(after, notBefore);
  const toNotify = await untilKnown(ctx, () => settleVerification(db, delivery, settled, altered, change));
  if (toNotify.length > 0) ctx.later(ctx.webhooks.wake(delivery.workspaceId, toNotify));
  if (after.is === "removed") log("info", "delivery_removed", getLogFields(verification));
  if (altered !== null) log("warn", "delivery_altered", getLogFields(verification));
  return doneUntil(notBefore);
}

const NOT_COMPARED: Readback = { state: "unverifiable", altered: [] };

/** The event of a delivery that its network shows with changes, or null if nothing changed. */
function alteredEvent({ tools, delivery, post }: Verification, after: AfterVerification): EventRecord | null {
  if (after.is === "removed" || after.readback?.state !== "altered") return null;
  const { attempts: attempt } = delivery;
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

/** Accepts proof that the post is out at any time. Never sends anything again. */
async function search(verification: Verification, publishKey: Json | null): Promise<"done" | Pause> {
  const { tools, network, context, delivery, now } = verification;
  const searchOutcome = publishKey === null ? undefined : await network.reconcile?.(publishKey, context);
  if (searchOutcome === undefined) return putOff(tools, verification, null);
  if (searchOutcome.is === "live" || searchOutcome.is === "handed_over") {
    await proveLive(tools, { ...verification, media: [] }, searchOutcome);
    return "done";
  }
  const notBefore = askedWait(searchOutcome);
  const nextAt = nextSearchAt(delivery.sentAt ?? now, now);
  await putOff(tools, verification, nextAt === null ? null : Math.max(nextAt, notBefore ?? 0));
  return doneUntil(notBefore);
}

async function prepareContext(
  { ctx, credentials, health }: DeliveryTools,
  network: Network,
  { channel }: FollowUp,
): Promise<ConnectorContext<Json> | Retryable | "disconnected"> {
  if (channel.credential === null || channel.removedAt !== null) return "disconnected";
  const io = health.watch(channel.platform, ctx.networkIO(channel.platform));
  const current = await credentials.ready(network, channel, io);
  if (current.is === "retryable") return current;
  return current.is === "usable" ? { credential: current.credential, io } : "disconnected";
}

/** Schedules the next recheck at `nextAt` (epoch milliseconds), or none if that is null. */
async function putOff({ ctx }: DeliveryTools, { delivery }: FollowUp, nextAt: number | null): Promise<"done"> {
  await untilKnown(ctx, () => rescheduleFollowUp(ctx.databaseOf(delivery.workspaceId), delivery, nextAt));
  return "done";
}

function computeNextDueAt(followUp: FollowUp): number | null {
  const { delivery, now } = followUp;
  if (delivery.state === "outcome_unknown") return nextSearchAt(delivery.sentAt ?? now, now);
  return nextRecheckAt(followUp);
}

function getLogFields({ delivery }: FollowUp) {
  const { workspaceId, postId, channelId, platform } = delivery;
  return { workspace: workspaceId, post: postId, channel: channelId, platform };
}
