// Carries out an option that applies to a live post. Its intent is written before its call, which is made once. If the answer
// is lost, the result is reconciled where the network shows it.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { openThumbnail } from "../delivery/media-source.ts";
import { unavailable } from "../delivery/publication.ts";
import { nextAddition, parseAdditions, settleAddition, withAddition } from "../domain/delivery/additions.ts";
import { isCommentDue } from "../domain/delivery/first-comment.ts";
import { type Added, askedWait, type NotFound, notFound, type Unknown } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import { collectCopies } from "../domain/posts/sent-file.ts";
import { findThumbnail, THUMBNAIL } from "../domain/posts/thumbnail.ts";
import { MediaUnavailable } from "../networks/media-file.ts";
import type { AdditionWish, ConnectorContext, Network, Published } from "../networks/network.ts";
import { untilKnown } from "../store/db/until-known.ts";
import { settleAdditions, writeAdditionIntent } from "../store/deliveries/additions.ts";
import type { FollowUp } from "../store/deliveries/follow-ups.ts";
import { mediaByIds } from "../store/media/media.ts";
import { withFreshToken } from "./fresh-token.ts";
import { nextRecheckAt } from "./next-recheck.ts";

/** Makes the next addition of a live post. */
export async function makeAddition(
  tools: DeliveryTools,
  followUp: FollowUp,
  network: Network,
  context: ConnectorContext<Json>,
  post: Published<Json>,
  name: string,
): Promise<{
  /** Until when the network asked to wait (epoch milliseconds). */
  notBefore: number | undefined;
  /** Whether another step is due for the post now. */
  isMoreDue: boolean;
}> {
  const { delivery, now } = followUp;
  const before = parseAdditions(delivery);
  const attempt = await answered(tools, followUp, network, context, post, name);
  if (attempt === null) return { notBefore: undefined, isMoreDue: false };
  const { answer, additions } = attempt;
  const { addition, nextAt } = settleAddition(answer, name, before[name]?.tries ?? 0, now);
  const after = withAddition(before, name, addition);
  const isMoreDue = nextAddition(after) !== undefined || isCommentDue(delivery);
  const verifyAt = nextRecheckAt(followUp);
  const db = tools.ctx.databaseOf(delivery.workspaceId);
  const dueAt = nextAt ?? (isMoreDue ? now : verifyAt);
  await untilKnown(tools.ctx, () => settleAdditions(db, delivery, additions, after, dueAt));
  const { workspaceId: workspace, postId, channelId: channel, platform } = delivery;
  const fields = { workspace, post: postId, channel, platform, outcome: `${name}: ${addition.state}` };
  log(addition.state === "done" ? "info" : "warn", "addition", fields);
  return { notBefore: askedWait(answer), isMoreDue: nextAt === null && isMoreDue };
}

/**
 * Makes the call. Returns the answer, and the additions as they are stored at that time; null if another session has
 * taken over the addition.
 */
async function answered(
  tools: DeliveryTools,
  { delivery, post, channel }: FollowUp,
  network: Network,
  context: ConnectorContext<Json>,
  published: Published<Json>,
  name: string,
): Promise<{ answer: Added | NotFound; additions: string } | null> {
  const { ctx } = tools;
  const read = delivery.additions ?? "{}";
  const addition = network.additions?.[name];
  const options = post.overrides[delivery.channelId] ?? {};
  if (addition === undefined) {
    return { answer: { is: "rejected", error: "content_refused", detail: "there is none" }, additions: read };
  }
  const db = ctx.databaseOf(delivery.workspaceId);
  const wish: AdditionWish<Json> = { value: options[name] ?? null };
  const lookFor = async (lost: Unknown, currentContext: ConnectorContext<Json>): Promise<Added | NotFound> => {
    const { isThere } = addition;
    if (isThere === undefined) return lost;
    if (lost.notBefore !== undefined) return notFound(lost, lost.notBefore);
    try {
      const look = (context: ConnectorContext<Json>) => isThere(published, wish, context);
      const { answer: lookAnswer } = await withFreshToken<Added | NotFound>(
        tools,
        network,
        channel,
        currentContext,
        look,
      );
      if (lookAnswer.is === "added") return lookAnswer;
      // An addition is given up only if the network shows that it is missing, or can never show it.
      return lookAnswer.is === "not_found" || lookAnswer.is === "rejected"
        ? lost
        : notFound(lost, askedWait(lookAnswer));
    } catch (error) {
      log("error", "addition_look_failed", { platform: delivery.platform, error: errorText(error) });
      return notFound(lost);
    }
  };
  const additions = parseAdditions(delivery);
  if (additions[name]?.state === "sending") {
    return { answer: await lookFor(BROKE_OFF, context), additions: read };
  }
  if (name === THUMBNAIL) {
    const id = findThumbnail(options) ?? "";
    try {
      const copies = collectCopies(post.sentFiles, delivery.channelId, "thumbnail");
      const use = { rule: network.rule, deliveryId: delivery.id, inspectOnly: false, copies };
      wish.file = await openThumbnail(ctx, id, await mediaByIds(db, delivery.workspaceId, [id]), use);
    } catch (error) {
      if (error instanceof MediaUnavailable) return { answer: unavailable(error), additions: read };
      throw error;
    }
  }
  const sending = JSON.stringify(
    withAddition(additions, name, { state: "sending", tries: additions[name]?.tries ?? 0 }),
  );
  if (!(await writeAdditionIntent(db, delivery, read, sending))) return null;
  try {
    const { answer, context: current } = await withFreshToken<Added>(tools, network, channel, context, (freshContext) =>
      addition.add(published, wish, freshContext),
    );
    return { answer: answer.is === "unknown" ? await lookFor(answer, current) : answer, additions: sending };
  } catch (error) {
    if (error instanceof MediaUnavailable) return { answer: unavailable(error), additions: sending };
    log("error", "addition_failed", { platform: delivery.platform, error: errorText(error) });
    return { answer: await lookFor(BROKE_OFF, context), additions: sending };
  }
}

const BROKE_OFF: Unknown = { is: "unknown", detail: "the call broke off" };
