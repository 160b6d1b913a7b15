// Writes the first comment under a live post. Crier stores the intent of the comment before the call, and makes the call only
// once. If the answer is lost, Crier looks for the comment, on networks that list comments.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { sealPublishKey, unsealFor } from "../delivery/publish-key.ts";
import { findFirstComment, settleComment } from "../domain/delivery/first-comment.ts";
import { askedWait, type Commented, type NotFound, notFound, type Unknown } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import {
  type StoredComment,
  saveCommentKey,
  settleFirstComment,
  writeCommentIntent,
} from "../store/deliveries/first-comments.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { nextRecheckAt } from "./next-recheck.ts";

interface Verification extends FollowUp {
  tools: DeliveryTools;
  network: Network;
  context: ConnectorContext<Json>;
}

/** Writes the first comment, or reconciles it. Returns until when the network asked to wait (epoch milliseconds). */
export async function writeComment(verification: Verification, post: Published<Json>): Promise<number | undefined> {
  const { tools, delivery, now } = verification;
  const attempt = await commented(verification, post);
  if (attempt === null) return undefined;
  const { answer, stored } = attempt;
  const outcome = settleComment(answer, delivery.commentTries, now);
  const nextAt = outcome.nextAt ?? nextRecheckAt(verification);
  const db = tools.ctx.databaseOf(delivery.workspaceId);
  await untilKnown(tools.ctx, () => settleFirstComment(db, delivery, stored, outcome, nextAt));
  const { workspaceId: workspace, postId, channelId: channel, platform } = delivery;
  const level = outcome.state === "posted" ? "info" : "warn";
  log(level, "first_comment", { workspace, post: postId, channel, platform, outcome: outcome.state });
  return askedWait(answer);
}

/** Returns the answer and the comment's stored state, or null if this session may no longer write the comment. */
async function commented(
  verification: Verification,
  published: Published<Json>,
): Promise<{ answer: Commented | NotFound; stored: StoredComment } | null> {
  const { tools, network, context, delivery, post } = verification;
  const { ctx } = tools;
  const { firstComment } = network;
  const read: StoredComment = { state: delivery.commentState ?? "due", tries: delivery.commentTries };
  const text = findFirstComment(post.overrides[delivery.channelId]);
  if (firstComment === undefined || text === null)
    return { answer: { is: "rejected", error: "content_refused", detail: "there is none" }, stored: read };
  const db = ctx.databaseOf(delivery.workspaceId);
  const unsealed = await unsealFor(ctx, delivery, delivery.commentKey);
  let ready = unsealed === "unreadable" ? null : unsealed.publishKey;
  const lookFor = async (lost: Unknown): Promise<Commented | NotFound> => {
    if (firstComment.find === undefined) return lost;
    const searchResult = lost.notBefore === undefined ? await firstComment.find(published, text, ready, context) : lost;
    return searchResult.is === "commented" ? searchResult : notFound(lost, askedWait(searchResult));
  };
  if (read.state === "sending")
    return { answer: await lookFor({ is: "unknown", detail: "the call broke off" }), stored: read };
  if (firstComment.prepare) {
    let storedKey = delivery.commentKey;
    let isOvertaken = false;
    const save = async (publishKey: Json) => {
      const sealed = await sealPublishKey(ctx, delivery, publishKey);
      if (await saveCommentKey(db, delivery, storedKey, sealed)) storedKey = sealed;
      else isOvertaken = true;
    };
    const prepared = await firstComment.prepare(published, text, context, ready, save);
    if (prepared.is !== "prepared") return { answer: prepared, stored: read };
    if (isOvertaken) return null;
    ready = prepared.publishKey;
  }
  if (!(await writeCommentIntent(db, delivery))) return null;
  const stored: StoredComment = { state: "sending", tries: null };
  try {
    const answer = await firstComment.publish(published, text, ready, context);
    return { answer: answer.is === "unknown" ? await lookFor(answer) : answer, stored };
  } catch (error) {
    log("error", "first_comment_failed", { platform: delivery.platform, error: errorText(error) });
    return { answer: await lookFor({ is: "unknown", detail: "the call broke off" }), stored };
  }
}
