// The follow-ups of a published post: takedown, edit, the work of options, recheck, address, metrics, and the reconciliation of an
// unknown outcome. All of them are harmless except the work of options, whose intents are written before their calls.
import { errorText, log } from "../adapters/log.ts";
import { type DeliveryTools, proveLive } from "../delivery/deliver.ts";
import { publishedThreadPart, unsealPublishKey } from "../delivery/publish-key.ts";
import { unclearEdit } from "../domain/delivery/edit.ts";
import { nextFollowUpStep } from "../domain/delivery/follow-up.ts";
import { askedWait, type Retryable } from "../domain/delivery/outcome.ts";
import { unclearTakedown } from "../domain/delivery/takedown.ts";
import type { AfterPublishTask } from "../domain/job.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { findNetwork } from "../networks/index.ts";
import type { ConnectorContext, Network } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { type FollowUp, putOffFollowUps, rescheduleFollowUp } from "../store/deliveries/follow-ups.ts";
import type { AskedWaits } from "./asked-waits.ts";
import { editText } from "./edit-text.ts";
import { nextDueAt, resolveRechecks } from "./next-due.ts";
import { doOptionWork } from "./option-work.ts";
import { readOrHold } from "./read.ts";
import { recheck } from "./recheck.ts";
import { recordOutcome } from "./record.ts";
import { takeDown } from "./take-down.ts";

/** How long a channel is left alone if its network cannot be asked now. */
const PAUSE_MS = 15 * MINUTE_MS;

/** State that the sessions of one publisher share. */
export interface FollowUpTools extends DeliveryTools {
  waits: AskedWaits;
}

/** One delivery with a due follow-up, and the data that its steps need. */
interface ConnectedFollowUp extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** Does the due follow-ups of a channel one after the other, until its network asks to wait. */
export async function workAfterPublish(
  tools: FollowUpTools,
  { workspaceId }: Lane,
  task: AfterPublishTask,
): Promise<void> {
  const { ctx, limiter } = tools;
  const db = ctx.databaseOf(workspaceId);
  const { channel: channelId, posts } = task;
  let since: number | null = null;
  for (const [i, postId] of posts.entries()) {
    const doNextStep = async (): Promise<StepResult> => {
      const followUp = await readOrHold(ctx, { workspaceId, postId, channelId });
      if (followUp === null) return "done";
      since ??= followUp.now;
      const need = { network: followUp.channel.platform, hasFiles: false, isFollowUp: true };
      return limiter.use(need, () => doStep(tools, followUp));
    };
    let result = await doNextStep();
    while (result === "more") result = await doNextStep();
    if (result === "done") continue;
    if (result.isAsked) tools.waits.keep(channelId, result.until);
    const { until, isDone } = result;
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
type StepResult = "done" | "more" | Pause;

/** Ends the work on a delivery. If the network asked to wait, the other deliveries of its channel wait too. */
const doneUntil = (notBefore: number | undefined): "done" | Pause =>
  notBefore === undefined ? "done" : { until: notBefore, isAsked: true, isDone: true };

/** Stops asking about any delivery of the channel. */
const pauseFrom = (now: number, notBefore: number | null | undefined): Pause => ({
  until: Math.max(now + PAUSE_MS, notBefore ?? 0),
  isAsked: false,
  isDone: false,
});

async function doStep(tools: FollowUpTools, followUp: FollowUp): Promise<StepResult> {
  const { delivery, threadParts, channel, now } = followUp;
  const network = findNetwork(delivery.platform);
  const step = nextFollowUpStep(delivery, followUp.followUps);
  const isOver =
    delivery.state !== "live" &&
    delivery.state !== "outcome_unknown" &&
    // The live parts of a thread that stopped.
    !(delivery.state === "failed" && step.is === "takedown" && delivery.publishedAt !== null);
  if (network === undefined || isOver) return putOff(tools, followUp, null);
  if (channel.notBefore !== null && channel.notBefore > now) return pauseFrom(now, channel.notBefore);
  const waitUntil = tools.waits.until(channel.id, now);
  if (waitUntil !== null) return { until: waitUntil, isAsked: false, isDone: false };
  const context = await prepareContext(tools, network, followUp);
  if (context === "disconnected") {
    if (step.is !== "takedown" && step.is !== "edit") return putOff(tools, followUp, nextDueAt(followUp));
    // An earlier call may have succeeded without its answer being recorded.
    const unclear = step.is === "edit" ? unclearEdit : unclearTakedown;
    await recordOutcome(tools.ctx, followUp, step.work, unclear({ detail: "the channel is not connected" }));
    return "done";
  }
  if ("is" in context) return pauseFrom(now, context.notBefore);
  const unsealed = await unsealPublishKey(tools.ctx, delivery);
  const publishKey = unsealed === "unreadable" ? null : unsealed.publishKey;
  const connected = { ...followUp, tools, network, context };
  try {
    if (step.is === "search") return await search(connected, publishKey);
    const { networkPost } = delivery;
    if (networkPost === null) return putOff(tools, followUp, null);
    // A thread is identified by its first part, but its publish key is that of its last part.
    const post =
      threadParts[0] === undefined
        ? { id: networkPost.id, publishKey }
        : await publishedThreadPart(tools.ctx, delivery, threadParts[0]);
    if (step.is === "takedown") return doneUntil(await takeDown(connected, post, step.work));
    if (step.is === "edit") return doneUntil(await editText(connected, post, step.work));
    if (step.is === "option") {
      const { notBefore, isMoreDue } = await doOptionWork(connected, post, step.kind, step.work);
      return isMoreDue && notBefore === undefined ? "more" : doneUntil(notBefore);
    }
    // A recheck is no longer wanted, unless the address of the post is still awaited.
    const isAwaited = [networkPost, ...threadParts].some(({ urlState }) => urlState === "pending");
    if (resolveRechecks(followUp) === "off" && !isAwaited) return putOff(tools, followUp, null);
    return doneUntil(await recheck(connected, post, networkPost));
  } catch (error) {
    const { workspaceId: workspace, postId, channelId, platform } = delivery;
    log("error", "follow_up_step_failed", {
      workspace,
      post: postId,
      channel: channelId,
      platform,
      error: errorText(error),
    });
    const pause = pauseFrom(now, null);
    // Its next try comes after those of the others, so that it cannot hold them up for good.
    await putOff(tools, followUp, pause.until + 1);
    return { ...pause, isDone: true };
  }
}

/** Accepts proof that the post is out at any time. Never sends anything again. */
async function search(connected: ConnectedFollowUp, publishKey: Json | null): Promise<"done" | Pause> {
  const { tools, network, context } = connected;
  const searchOutcome = publishKey === null ? undefined : await network.reconcile?.(publishKey, context);
  if (searchOutcome === undefined) return putOff(tools, connected, null);
  if (searchOutcome.is === "live" || searchOutcome.is === "handed_over") {
    await proveLive(tools, { ...connected, media: [] }, searchOutcome);
    return "done";
  }
  const notBefore = askedWait(searchOutcome);
  const nextAt = nextDueAt(connected);
  await putOff(tools, connected, nextAt === null ? null : Math.max(nextAt, notBefore ?? 0));
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
async function putOff({ ctx }: DeliveryTools, followUp: FollowUp, nextAt: number | null): Promise<"done"> {
  const db = ctx.databaseOf(followUp.delivery.workspaceId);
  await untilKnown(ctx, () => rescheduleFollowUp(db, followUp, nextAt));
  return "done";
}
