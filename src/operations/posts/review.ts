// Shows a post to a reviewer without an account, by its link, and takes their decision. The reviewer sees this post and
// nothing else.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context, Reviewer } from "../../context.ts";
import type { Json } from "../../domain/json.ts";
import { PUBLISH_PAST_TOLERANCE_MS, REASON_LENGTH_MAX, REVIEWER_LENGTH_MAX } from "../../domain/limits.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import { effectivePostType } from "../../domain/posts/post-target.ts";
import { collectCopies, type FilePlace, type FileShape } from "../../domain/posts/sent-file.ts";
import { textLength } from "../../domain/posts/text-length.ts";
import { getThread } from "../../domain/posts/thread.ts";
import { findThumbnail, THUMBNAIL } from "../../domain/posts/thumbnail.ts";
import { Refusal } from "../../domain/refusal.ts";
import { readStrangerName } from "../../domain/visible-name.ts";
import { findNetwork } from "../../networks/index.ts";
import { ask } from "../../store/db/batch.ts";
import type { MediaRow } from "../../store/media/media.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { endReviewLink, findReviewLink } from "../../store/posts/review-links.ts";
import { mayMakerStill } from "../maker.ts";
import { mediaView } from "../media/view.ts";
import { approve } from "./approve.ts";
import { decline } from "./decline.ts";
import { type Found, readToEdit } from "./update.ts";

export interface ReviewedFile {
  kind: MediaRow["kind"];
  /** null: this deployment has no address for it. */
  url: string | null;
  /** Whether it is on a host of ours. A file on another host is not fetched until the reviewer asks for it. */
  isStored: boolean;
  alt: string | null;
  /** A converted copy and its original; null: the file is published as it is. */
  adapted: { copy: FileShape; original: FileShape } | null;
}
/** The content that one channel would publish. */
export interface ReviewedChannel {
  platform: string;
  handle: string;
  name: string | null;
  /** null: the network's default. */
  postType: string | null;
  /** The post itself, and the thread parts after it. */
  parts: { text: string; files: ReviewedFile[] }[];
  /** The thumbnail of a video: one, or none. */
  thumbnail: ReviewedFile[];
  /** The network's own options, by name. */
  options: [string, Json][];
}
export interface Review {
  channels: ReviewedChannel[];
  /** Epoch milliseconds; null: as soon as it is approved. */
  publishAt: number | null;
  timezone: string;
  /** Whether its time has passed. It then needs a new time, which makes a new revision. */
  isLate: boolean;
}
export type Opened =
  /** The link never existed or has ended; the answer does not say which. */
  | { is: "closed" }
  /** The post has changed since the link was created. */
  | { is: "changed" }
  | { is: "open"; review: Review };

/** A reviewer's answer. */
export interface Answer {
  decision: "approve" | "decline";
  name: string;
  reason: string;
  /** The user who is signed in in this browser; null: none. */
  userId: string | null;
}
export type Answered =
  | Exclude<Opened, { is: "open" }>
  | { is: "unreadable"; field: "name" | "reason" }
  /** The post cannot be scheduled as it is. The workspace has to fix the reason. */
  | { is: "refused" }
  /** The reviewer counts as the person who changed the post last, and the workspace requires another person. */
  | { is: "own_change" }
  | { is: "approved"; dueAt: string | null }
  | { is: "declined" };

export async function openReview(ctx: Context, token: string): Promise<Opened> {
  const opened = await readLinked(ctx, token);
  return opened.is === "open" ? { is: "open", review: buildReview(ctx, opened.post, opened.found[1]) } : opened;
}

/** Records the one decision that the link permits. The post's revision in the database decides concurrent decisions. */
export async function answerReview(ctx: Context, token: string, answer: Answer): Promise<Answered> {
  const opened = await readLinked(ctx, token);
  if (opened.is !== "open") return opened;
  const [reviewerName, reason] = [readStrangerName(answer.name), answer.reason.replaceAll("\r\n", "\n")];
  if (reviewerName === null || !isText(reviewerName, REVIEWER_LENGTH_MAX) || /\p{Cc}/u.test(answer.name.trim()))
    return { is: "unreadable", field: "name" };
  const { link, found } = opened;
  const { workspaceId, postId: id, rev, contentTag } = link;
  const reviewer: Reviewer = { kind: "reviewer", name: reviewerName, workspaceId };
  let answered: Answered;
  try {
    if (answer.decision === "approve") {
      const deciders = [link.createdBy, answer.userId].filter((decider) => decider !== null);
      const { due_at: dueAt } = await approve(
        ctx,
        reviewer,
        { id, rev, contentTag, by: reviewerName, deciders },
        found,
      );
      answered = { is: "approved", dueAt };
    } else {
      if (!isText(reason, REASON_LENGTH_MAX) || reason.includes("\0")) return { is: "unreadable", field: "reason" };
      await decline(ctx, reviewer, { rev, contentTag, by: reviewerName, reason }, found[0]);
      answered = { is: "declined" };
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "post_changed") return { is: "changed" };
    if (error.code === "four_eyes") return { is: "own_change" };
    return { is: error.code === "post_not_waiting" || error.code === "not_found" ? "closed" : "refused" };
  }
  // A failure here does no harm, because the post never awaits approval at this revision again.
  await endReviewLink(ctx.accounts, link.tokenHash);
  return answered;
}

const isText = (value: string, lengthMax: number) =>
  value.trim() !== "" && textLength(value, { text_unit: "characters" }) <= lengthMax;

type Linked =
  | Exclude<Opened, { is: "open" }>
  | {
      is: "open";
      link: NonNullable<Awaited<ReturnType<typeof findReviewLink>>>;
      found: Found;
      post: PostWithDeliveries["post"];
    };

async function readLinked(ctx: Context, token: string): Promise<Linked> {
  const link = await findReviewLink(ctx.accounts, await sha256Hex(token));
  if (link === undefined) return { is: "closed" };
  const { workspaceId, postId } = link;
  if (!(await mayMakerStill(ctx, workspaceId, link.createdBy, "publish"))) return { is: "closed" };
  await ctx.homes.locate(workspaceId);
  const db = ctx.databaseOf(workspaceId);
  const postAndMaterial = await ask(db, readToEdit(ctx, db, workspaceId, postId, {}));
  const post = postAndMaterial[0]?.post;
  if (post === undefined) return { is: "closed" };
  if (post.revision !== link.rev || post.contentTag !== link.contentTag) return { is: "changed" };
  return post.status === "awaiting_approval" ? { is: "open", link, found: postAndMaterial, post } : { is: "closed" };
}

function buildReview(ctx: Context, post: PostWithDeliveries["post"], { channels, media, now }: Found[1]): Review {
  const rows = new Map(media.map((row) => [row.id, row]));
  const filesAt = (channel: string, place: FilePlace, ids: string[]) => {
    const copies = collectCopies(post.sentFiles, channel, place);
    return ids.flatMap((id): ReviewedFile[] => {
      const row = rows.get(id);
      if (row === undefined) return [];
      const { kind, url, public_url: stored, alt } = mediaView(ctx, row);
      const converted = copies.get(id);
      if (converted !== undefined) {
        const { objectKey, etag } = converted.copy;
        const address = ctx.bucket?.publicUrl(objectKey, converted.contentType, etag) ?? null;
        return [{ kind, url: address, isStored: true, alt, adapted: { copy: converted, original: row } }];
      }
      // The address of exactly the content that the decision is about.
      const shownUrl =
        row.etag === null ? url : (ctx.bucket?.publicUrl(uploadKey(row), row.contentType, row.etag) ?? url);
      return [{ kind, url: shownUrl === "" ? null : shownUrl, isStored: stored !== null, alt, adapted: null }];
    });
  };
  return {
    channels: post.channels.flatMap((id): ReviewedChannel[] => {
      const channel = channels.find((candidate) => candidate.id === id);
      const rule = findNetwork(channel?.platform ?? "")?.rule;
      if (channel === undefined || rule === undefined) return [];
      const { platform, handle, name } = channel;
      const { text, media: files, options } = contentFor(post, id);
      const { [THUMBNAIL]: _, ...otherOptions } = options;
      const thumbnail = findThumbnail(options);
      return [
        {
          platform,
          handle,
          name,
          postType: post.postType === null ? null : effectivePostType({ rule, postType: post.postType }),
          parts: [{ text, media: files }, ...getThread(post, id)].map((threadPart, place) => ({
            text: threadPart.text,
            files: filesAt(id, place, threadPart.media),
          })),
          thumbnail: thumbnail === null ? [] : filesAt(id, "thumbnail", [thumbnail]),
          options: Object.entries(otherOptions),
        },
      ];
    }),
    publishAt: post.publishAt,
    timezone: post.timezone,
    isLate: post.publishAt !== null && post.publishAt < now - PUBLISH_PAST_TOLERANCE_MS,
  };
}
