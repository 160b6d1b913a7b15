// After publishing: the first comment, whether the post is still there and where, what the network counts of it; and
// whether one of which nobody knows was published after all. All of it is harmless but the comment, which is written ahead.
import { errorText, log } from "../adapters/log.ts";
import type { Context } from "../context.ts";
import { settle } from "../domain/delivery.ts";
import { firstCommentOf, settleComment } from "../domain/first-comment.ts";
import { base64Url } from "../domain/ids.ts";
import type { Json } from "../domain/json.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import type { Commented } from "../domain/outcome.ts";
import { afterLook, nextLookAt, nextSearchAt } from "../domain/recheck.ts";
import { networkOf } from "../networks/index.ts";
import type { Network, Published, Work } from "../networks/network.ts";
import type { ChannelRow } from "../store/channels.ts";
import {
  beginComment,
  endComment,
  putOffChecks,
  saveCommentToken,
  settleLook,
  type TakenCheck,
  takeCheck,
} from "../store/checks.ts";
import { storeFigures } from "../store/measurements.ts";
import { borrowCredential } from "./credential.ts";
import { Crew } from "./crew.ts";
import { Hand } from "./settle.ts";
import { openPlacedToken, openToken, sealToken } from "./token.ts";

/** A channel whose network cannot be asked now is left alone for a while. */
const PAUSE_MS = 15 * MINUTE_MS;

/** Looks at deliveries of a channel whose checks are due, one after the other, until its network has had enough. */
export async function checkDeliveries(
  ctx: Context,
  workspaceId: string,
  channelId: string,
  postIds: string[],
): Promise<void> {
  const db = ctx.databaseOf(workspaceId);
  for (const [i, postId] of postIds.entries()) {
    const taken = await takeCheck(db, { workspaceId, postId, channelId });
    if (taken === null) continue;
    if ((await check(ctx, taken)) === "done") continue;
    const until = Math.max(taken.now + PAUSE_MS, taken.channel.notBefore ?? 0);
    return putOffChecks(db, workspaceId, channelId, postIds.slice(i), until);
  }
}

/** `pause`: this network is not to be asked again for now. */
async function check(ctx: Context, taken: TakenCheck): Promise<"done" | "pause"> {
  const { delivery, channel, now } = taken;
  const network = networkOf(delivery.platform);
  const isOver = delivery.state !== "live" && delivery.state !== "unconfirmed";
  if (network === undefined || isOver) return end(ctx, taken, null);
  if (channel.notBefore !== null && channel.notBefore > now) return "pause";
  const work = await workOf(ctx, network, channel);
  if (work === "disconnected") return end(ctx, taken, laterOf(taken));
  if (work === "busy") return "pause";
  const opened = await openToken(ctx, delivery);
  const token = opened === "closed" ? null : opened.token;
  try {
    if (delivery.state === "unconfirmed") return await search(ctx, taken, network, work, token);
    const id = delivery.netPostId;
    if (id === null) return end(ctx, taken, null);
    if (delivery.commentState === "due" || delivery.commentState === "sending") {
      return await comment(ctx, taken, network, work, { id, token });
    }
    return await look(ctx, taken, network, work, { id, token });
  } catch (error) {
    log("error", "check_failed", { ...fieldsOf(taken), error: errorText(error) });
    return "pause";
  }
}

async function look(
  ctx: Context,
  taken: TakenCheck,
  network: Network,
  work: Work<Json>,
  post: Published<Json>,
): Promise<"done" | "pause"> {
  const { delivery, now } = taken;
  const { url, urlState, missingSince, platform } = delivery;
  const publishedAt = delivery.publishedAt ?? now;
  const db = ctx.databaseOf(delivery.workspaceId);
  const found = await network.look(post, work);
  const measured = found.is === "there" ? await network.measure?.(post, work) : undefined;
  if (measured?.is === "measured") {
    await storeFigures(db, delivery, { platform, at: publishedAt }, measured.figures);
  }
  const after = afterLook({ publishedAt, url, urlState, missingSince }, found, now);
  await settleLook(db, delivery, after);
  if (after.is === "removed") log("info", "delivery_removed", fieldsOf(taken));
  return "done";
}

/** Proof that the post is out after all is taken at any time; nothing is ever sent again from here (T18). */
async function search(
  ctx: Context,
  taken: TakenCheck,
  network: Network,
  work: Work<Json>,
  token: Json | null,
): Promise<"done"> {
  const found = token === null ? undefined : await network.resolve?.(token, work);
  if (found === undefined) return end(ctx, taken, null);
  if (found.is !== "live") return end(ctx, taken, nextSearchAt(taken.delivery.sentAt ?? taken.now, taken.now));
  const hand = new Hand(new Crew(ctx), { ...taken, media: [] }, base64Url(ctx.entropy(12)));
  await hand.settle(settle(hand.facts, found, { canAsk: true, resendAfterMs: null }, hand.moment()));
  return "done";
}

async function comment(
  ctx: Context,
  taken: TakenCheck,
  network: Network,
  work: Work<Json>,
  post: Published<Json>,
): Promise<"done"> {
  const { delivery, now } = taken;
  const answer = await commented(ctx, taken, network, work, post);
  const outcome = settleComment(answer, delivery.commentTries, now);
  const publishedAt = delivery.publishedAt ?? now;
  const nextAt = outcome.nextAt ?? nextLookAt(publishedAt, delivery.urlState === "pending", now);
  await endComment(ctx.databaseOf(delivery.workspaceId), delivery, outcome, nextAt);
  log(outcome.state === "posted" ? "info" : "warn", "first_comment", { ...fieldsOf(taken), outcome: outcome.state });
  return "done";
}

async function commented(
  ctx: Context,
  { delivery, post }: TakenCheck,
  network: Network,
  work: Work<Json>,
  published: Published<Json>,
): Promise<Commented> {
  const { firstComment } = network;
  const text = firstCommentOf(post.overrides[delivery.channelId]);
  if (firstComment === undefined || text === null)
    return { is: "refused", error: "content_refused", detail: "there is none" };
  if (delivery.commentState === "sending") return { is: "unsure", detail: "the call broke off" };
  const db = ctx.databaseOf(delivery.workspaceId);
  const opened = await openPlacedToken(ctx, delivery, delivery.commentToken);
  let ready = opened === "closed" ? null : opened.token;
  if (firstComment.prepare) {
    const save = async (token: Json) => saveCommentToken(db, delivery, await sealToken(ctx, delivery, token));
    const prepared = await firstComment.prepare(published, text, work, ready, save);
    if (prepared.is !== "staged") return prepared;
    ready = prepared.token;
  }
  if (!(await beginComment(db, delivery))) return { is: "unsure", detail: "another hand has it" };
  try {
    return await firstComment.send(published, text, ready, work);
  } catch (error) {
    log("error", "first_comment_failed", { platform: delivery.platform, error: errorText(error) });
    return { is: "unsure", detail: "the call broke off" };
  }
}

async function workOf(
  ctx: Context,
  network: Network,
  channel: ChannelRow,
): Promise<Work<Json> | "busy" | "disconnected"> {
  if (channel.credential === null || channel.removedAt !== null) return "disconnected";
  const held = await borrowCredential(ctx, network, channel);
  if (held.is === "busy") return "busy";
  return held.is === "held" ? { credential: held.credential, wire: ctx.wire(channel.platform) } : "disconnected";
}

/** The check is done with, until `nextAt` or for good. */
async function end(ctx: Context, { delivery }: TakenCheck, nextAt: number | null): Promise<"done"> {
  const { workspaceId, channelId, postId } = delivery;
  await putOffChecks(ctx.databaseOf(workspaceId), workspaceId, channelId, [postId], nextAt);
  return "done";
}

function laterOf({ delivery, now }: TakenCheck): number | null {
  if (delivery.state === "unconfirmed") return nextSearchAt(delivery.sentAt ?? now, now);
  return nextLookAt(delivery.publishedAt ?? now, delivery.urlState === "pending", now);
}

function fieldsOf({ delivery }: TakenCheck) {
  const { workspaceId, postId, channelId, platform } = delivery;
  return { workspace: workspaceId, post: postId, channel: channelId, platform };
}
