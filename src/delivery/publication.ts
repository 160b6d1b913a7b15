// The content that goes out on one channel, or one thread part of it: its final text, files and options, judged once more
// with the current facts about the files.
import type { Context } from "../context.ts";
import type { Rejected, Retryable } from "../domain/delivery/outcome.ts";
import type { Accepted } from "../domain/delivery/readback.ts";
import type { LiveThreadPart } from "../domain/delivery/thread.ts";
import type { Json } from "../domain/json.ts";
import { findCaptions } from "../domain/posts/captions.ts";
import { checkTarget } from "../domain/posts/check-post.ts";
import { findLongText, getOutgoingText } from "../domain/posts/outgoing-text.ts";
import { getPoll } from "../domain/posts/poll.ts";
import { effectivePostType } from "../domain/posts/post-target.ts";
import { collectCopies, type FilePlace } from "../domain/posts/sent-file.ts";
import { taggedContent, taggedThread } from "../domain/posts/tagged-content.ts";
import { findThumbnail, getThumbnailOption } from "../domain/posts/thumbnail.ts";
import { applyTier } from "../domain/posts/tier.ts";
import { findNetwork } from "../networks/index.ts";
import { type CaptionsFile, type MediaFile, MediaUnavailable } from "../networks/media-file.ts";
import type { Network, Publication, ReplyTo } from "../networks/network.ts";
import type { DueDelivery } from "../store/deliveries/due.ts";
import { openCaptions, openMedia, openThumbnail } from "./media-source.ts";
import { publishedThreadPart } from "./publish-key.ts";

type Named = Pick<DueDelivery, "post" | "delivery">;

const toPlace = ({ channelId: channel, platform }: Named["delivery"]) => ({ channel, platform });

/** The content of a channel, with the text that goes out. */
function getContent({ post, delivery }: Named) {
  const content = taggedContent(post, toPlace(delivery));
  const poll = getPoll(post, delivery.channelId);
  return { ...content, poll, text: getOutgoingText({ ...content, poll }, findNetwork(delivery.platform)?.rule ?? {}) };
}

/** The content of a thread part. The first part has the channel's text, files and poll, which may differ from the post's. */
function getThreadPartContent({ post, delivery }: Named, position: number) {
  const content = getContent({ post, delivery });
  if (position === 0) return content;
  const { text = content.text, media = [] } = taggedThread(post, toPlace(delivery))[position - 1] ?? {};
  return { ...content, text, media, poll: null };
}

/** Whether we send files of a thread part to the network ourselves. */
export const sendsFiles = (network: Network, due: Named, position: number): boolean =>
  network.fetchesFiles !== true && getThreadPartContent(due, position).media.length > 0;

/** The content that a delivery should have on its network: as its post was accepted, or with the text of its last edit. */
export function getAcceptedContent({ post, delivery }: Pick<DueDelivery, "post" | "delivery">): Accepted {
  const { text, media, options, poll } = getContent({ post, delivery });
  return { text: delivery.networkPost?.edit?.text ?? text, files: media.length, options, poll };
}

export async function buildPublication(
  ctx: Context,
  network: Network,
  {
    post,
    delivery,
    channel,
    threadParts = [],
    media: rows,
  }: Pick<DueDelivery, "post" | "delivery" | "channel" | "media"> & Partial<Pick<DueDelivery, "threadParts">>,
  position: number,
  /** Only judges the publication: its files are not copied, and cannot be opened. */
  inspectOnly = false,
): Promise<Publication<Json, Json> | Retryable | Rejected> {
  const rule = applyTier(network.rule, channel.tier);
  const { text, options, poll, media: fileIds } = getThreadPartContent({ post, delivery }, position);
  const isFirst = position === 0;
  const picture = isFirst && rule.thumbnail !== undefined ? findThumbnail(options) : null;
  const copiesAt = (place: FilePlace) => collectCopies(post.sentFiles, delivery.channelId, place);
  const use = { rule, deliveryId: delivery.id, inspectOnly };
  let media: MediaFile[];
  let thumbnail: MediaFile | null;
  let captions: CaptionsFile[];
  try {
    media = await openMedia(ctx, fileIds, rows, { ...use, copies: copiesAt(position) });
    thumbnail =
      picture === null ? null : await openThumbnail(ctx, picture, rows, { ...use, copies: copiesAt("thumbnail") });
    const entries = isFirst && rule.captions !== undefined ? findCaptions(options) : [];
    captions = await openCaptions(ctx, entries, rows, { ...use, copies: new Map() });
  } catch (error) {
    if (error instanceof MediaUnavailable) return unavailable(error);
    throw error;
  }
  const target = {
    channel: delivery.channelId,
    rule,
    text,
    textField: "/text",
    ...(isFirst && findLongText(rule.long_text, options) !== null && { isLongText: true as const }),
    media,
    mediaField: "/media",
    ...(thumbnail && { thumbnail }),
    captions: captions.map(({ file }, position) => ({ position, facts: file })),
    poll,
    postType: isFirst ? post.postType : null,
    optionsField: "/options",
    options: isFirst ? Object.keys(options) : [],
  };
  const [broken] = checkTarget(target);
  if (broken !== undefined) {
    const isPicture = broken.field === `/options/${getThumbnailOption(rule)}` && thumbnail !== null;
    const isFile = isPicture || /^\/(?:media|options\/captions)\//.test(broken.field ?? "");
    const error = isFile || broken.field === "/media" ? "media_refused" : "content_refused";
    const file = media.find(({ position }) => broken.field === `/media/${position}`);
    const ofFile = file === undefined ? "" : `file ${file.position + 1} (${file.id}): `;
    const prefix = isPicture ? `the thumbnail (${thumbnail?.id}): ` : ofFile;
    return { is: "rejected", error, detail: `${prefix}${broken.message}` };
  }
  const replyTo = inspectOnly ? undefined : await findReplyTarget(ctx, delivery, threadParts, position);
  const postType = effectivePostType(target);
  const published = {
    text: target.text,
    media,
    postType,
    options,
    ...(thumbnail && { thumbnail }),
    ...(captions.length > 0 && { captions }),
    ...(poll && { poll }),
  };
  return replyTo === undefined ? published : { ...published, replyTo };
}

/** The post that a thread part replies to; undefined for the first part. */
async function findReplyTarget(
  ctx: Context,
  delivery: Named["delivery"],
  live: readonly LiveThreadPart[],
  position: number,
): Promise<ReplyTo<Json> | undefined> {
  const [root, parent] = [live[0], live[position - 1]];
  if (root === undefined || parent === undefined) return undefined;
  return {
    root: await publishedThreadPart(ctx, delivery, root),
    parent: await publishedThreadPart(ctx, delivery, parent),
    before: live.map(({ id }) => id),
  };
}

/** Turns an unreadable file into an answer. */
export function unavailable(error: MediaUnavailable): Retryable | Rejected {
  const { retryAt } = error;
  const when = retryAt === undefined ? {} : { retryAt };
  if (error.retry) return { is: "retryable", error: "network_unavailable", detail: error.message, ...when };
  return { is: "rejected", error: error.error, detail: error.message };
}
