// After publishing: taking down, the first comment, whether the post is still there and where, what the network counts of it; and
// whether one whose outcome is unknown was published after all. All of it is harmless but the comment, whose intent is
// written before its call.
import { errorText, log } from "../adapters/log.ts";
import { type DeliveryTools, proveLive } from "../delivery/deliver.ts";
import { sealHandle, unsealFor, unsealHandle } from "../delivery/publish-handle.ts";
import { firstCommentOf, settleComment } from "../domain/delivery/first-comment.ts";
import type { Commented } from "../domain/delivery/outcome.ts";
import { afterVerification, nextSearchAt, nextVerificationAt } from "../domain/delivery/verification.ts";
import type { VerifyTask } from "../domain/job.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { networkOf } from "../networks/index.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import type { Lane } from "../store/deliveries/due.ts";
import {
  type FollowUp,
  putOffFollowUps,
  readFollowUp,
  saveCommentHandle,
  settleFirstComment,
  settleVerification,
  writeCommentIntent,
} from "../store/deliveries/follow-ups.ts";
import { storeMetrics } from "../store/metrics.ts";
import { giveUpTakedown, takeDown } from "./take-down.ts";

/** A channel whose network cannot be asked now is left alone for a while. */
const PAUSE_MS = 15 * MINUTE_MS;

/** One delivery that is verified, and what its steps need. */
interface Verification extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** Verifies deliveries of a channel that are due for it, one after the other, until its network has had enough. */
export async function verifyDeliveries(tools: DeliveryTools, { workspaceId }: Lane, task: VerifyTask): Promise<void> {
  const { ctx, limiter } = tools;
  const db = ctx.databaseOf(workspaceId);
  const { channel: channelId, posts } = task;
  for (const [i, postId] of posts.entries()) {
    const found = await untilKnown(ctx, () => readFollowUp(db, { workspaceId, postId, channelId }));
    if (found === null) continue;
    const need = { network: found.channel.platform, hasFiles: false, isFollowUp: true };
    if ((await limiter.use(need, () => verify(tools, found))) === "done") continue;
    const until = Math.max(found.now + PAUSE_MS, found.channel.notBefore ?? 0);
    return putOffFollowUps(db, workspaceId, channelId, posts.slice(i), until);
  }
}

/** Verifies nothing more of deliveries at which the object has ended again and again. */
export async function giveUpVerifying(tools: DeliveryTools, { workspaceId }: Lane, task: VerifyTask): Promise<void> {
  await putOffFollowUps(tools.ctx.databaseOf(workspaceId), workspaceId, task.channel, task.posts, null);
}

/** `pause`: this network is not to be asked again for now. */
async function verify(tools: DeliveryTools, found: FollowUp): Promise<"done" | "pause"> {
  const { delivery, channel, now } = found;
  const network = networkOf(delivery.platform);
  const isOver = delivery.state !== "live" && delivery.state !== "outcome_unknown";
  if (network === undefined || isOver) return putOff(tools, found, null);
  if (channel.notBefore !== null && channel.notBefore > now) return "pause";
  const isTakedownDue = delivery.takedownState === "due";
  const context = await contextOf(tools, network, found);
  if (context === "disconnected") {
    if (!isTakedownDue) return putOff(tools, found, laterOf(found));
    await giveUpTakedown(tools, found, "it was not taken down: the channel is not connected");
    return "done";
  }
  if (context === "busy") return "pause";
  const unsealed = await unsealHandle(tools.ctx, delivery);
  const handle = unsealed === "unreadable" ? null : unsealed.handle;
  const verification = { ...found, tools, network, context };
  try {
    if (delivery.state === "outcome_unknown") return await search(verification, handle);
    const id = delivery.netPostId;
    if (id === null) return putOff(tools, found, null);
    if (isTakedownDue) {
      await takeDown(tools, found, network, context, { id, handle });
      return "done";
    }
    const isCommentDue = delivery.commentState === "due" || delivery.commentState === "sending";
    return isCommentDue ? await comment(verification, { id, handle }) : await verifyLive(verification, { id, handle });
  } catch (error) {
    log("error", "verify_failed", { ...fieldsOf(found), error: errorText(error) });
    return "pause";
  }
}

/** Whether a live post is still there, where, and what the network counts of it. */
async function verifyLive(verification: Verification, post: Published<Json>): Promise<"done"> {
  const { tools, network, context, delivery, now } = verification;
  const { url, urlState, missingSince, platform } = delivery;
  const publishedAt = delivery.publishedAt ?? now;
  const db = tools.ctx.databaseOf(delivery.workspaceId);
  const found = await network.verify(post, context);
  const metrics = found.is === "there" ? await network.readMetrics?.(post, context) : undefined;
  if (metrics?.is === "read") {
    await storeMetrics(db, delivery, { platform, at: publishedAt }, metrics.metrics);
  }
  const after = afterVerification({ publishedAt, url, urlState, missingSince }, found, now);
  await untilKnown(tools.ctx, () => settleVerification(db, delivery, after));
  if (after.is === "removed") log("info", "delivery_removed", fieldsOf(verification));
  return "done";
}

/** Proof that the post is out after all is taken at any time; nothing is ever sent again from here. */
async function search(verification: Verification, handle: Json | null): Promise<"done"> {
  const { tools, network, context, delivery, now } = verification;
  const found = handle === null ? undefined : await network.reconcile?.(handle, context);
  if (found === undefined) return putOff(tools, verification, null);
  if (found.is === "live") {
    await proveLive(tools, { ...verification, media: [] }, found);
    return "done";
  }
  return putOff(tools, verification, nextSearchAt(delivery.sentAt ?? now, now));
}

async function comment(verification: Verification, post: Published<Json>): Promise<"done"> {
  const { tools, delivery, now } = verification;
  const answer = await commented(verification, post);
  const outcome = settleComment(answer, delivery.commentTries, now);
  const publishedAt = delivery.publishedAt ?? now;
  const nextAt = outcome.nextAt ?? nextVerificationAt(publishedAt, delivery.urlState === "pending", now);
  const db = tools.ctx.databaseOf(delivery.workspaceId);
  await untilKnown(tools.ctx, () => settleFirstComment(db, delivery, outcome, nextAt));
  const level = outcome.state === "posted" ? "info" : "warn";
  log(level, "first_comment", { ...fieldsOf(verification), outcome: outcome.state });
  return "done";
}

async function commented(verification: Verification, published: Published<Json>): Promise<Commented> {
  const { tools, network, context, delivery, post } = verification;
  const { ctx } = tools;
  const { firstComment } = network;
  const text = firstCommentOf(post.overrides[delivery.channelId]);
  if (firstComment === undefined || text === null)
    return { is: "rejected", error: "content_refused", detail: "there is none" };
  if (delivery.commentState === "sending") return { is: "unknown", detail: "the call broke off" };
  const db = ctx.databaseOf(delivery.workspaceId);
  const unsealed = await unsealFor(ctx, delivery, delivery.commentHandle);
  let ready = unsealed === "unreadable" ? null : unsealed.handle;
  if (firstComment.prepare) {
    const save = async (handle: Json) => saveCommentHandle(db, delivery, await sealHandle(ctx, delivery, handle));
    const prepared = await firstComment.prepare(published, text, context, ready, save);
    if (prepared.is !== "prepared") return prepared;
    ready = prepared.handle;
  }
  if (!(await writeCommentIntent(db, delivery))) return { is: "unknown", detail: "another session has it" };
  try {
    return await firstComment.publish(published, text, ready, context);
  } catch (error) {
    log("error", "first_comment_failed", { platform: delivery.platform, error: errorText(error) });
    return { is: "unknown", detail: "the call broke off" };
  }
}

async function contextOf(
  { ctx, credentials, health }: DeliveryTools,
  network: Network,
  { channel }: FollowUp,
): Promise<ConnectorContext<Json> | "busy" | "disconnected"> {
  if (channel.credential === null || channel.removedAt !== null) return "disconnected";
  const io = health.watch(channel.platform, ctx.networkIO(channel.platform));
  const held = await credentials.hold(network, channel, io);
  if (held.is === "retryable") return "busy";
  return held.is === "held" ? { credential: held.credential, io } : "disconnected";
}

/** It is verified again at `nextAt` (epoch milliseconds); null: never. */
async function putOff({ ctx }: DeliveryTools, { delivery }: FollowUp, nextAt: number | null): Promise<"done"> {
  const { workspaceId, channelId, postId } = delivery;
  await putOffFollowUps(ctx.databaseOf(workspaceId), workspaceId, channelId, [postId], nextAt);
  return "done";
}

function laterOf({ delivery, now }: FollowUp): number | null {
  if (delivery.state === "outcome_unknown") return nextSearchAt(delivery.sentAt ?? now, now);
  return nextVerificationAt(delivery.publishedAt ?? now, delivery.urlState === "pending", now);
}

function fieldsOf({ delivery }: FollowUp) {
  const { workspaceId, postId, channelId, platform } = delivery;
  return { workspace: workspaceId, post: postId, channel: channelId, platform };
}
