// A post as a person without an account sees it: each channel's version, with its files.
import type { Context } from "../../context.ts";
import type { Json } from "../../domain/json.ts";
import { PUBLISH_PAST_TOLERANCE_MS } from "../../domain/limits.ts";
import { uploadKey } from "../../domain/media/object-key.ts";
import { getOutgoingText } from "../../domain/posts/outgoing-text.ts";
import { earliestTime, readOwnTimes, readTimes } from "../../domain/posts/own-time.ts";
import { getPoll, type Poll } from "../../domain/posts/poll.ts";
import { effectivePostType } from "../../domain/posts/post-target.ts";
import type { Repeat } from "../../domain/posts/repeat.ts";
import { collectCopies, type FilePlace, type FileShape } from "../../domain/posts/sent-file.ts";
import { taggedContent, taggedThread } from "../../domain/posts/tagged-content.ts";
import { findThumbnail, THUMBNAIL_OPTIONS } from "../../domain/posts/thumbnail.ts";
import { findNetwork } from "../../networks/index.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import type { MediaRow } from "../../store/media/media.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { mediaView } from "../media/view.ts";

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
  /** The channel's own time, in epoch milliseconds; null: the post's. */
  publishAt: number | null;
  /** null: the network's default. */
  postType: string | null;
  /** The post itself, and the thread parts after it. */
  parts: { text: string; files: ReviewedFile[] }[];
  poll: Poll | null;
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
  /** How the post repeats; null: it does not. */
  repeat: Repeat | null;
  /** Whether the time of a channel has passed. It then needs a new time, which makes a new revision. */
  isLate: boolean;
}
/** The rows that a post refers to, and when they were read. */
interface Material {
  channels: ChannelRow[];
  media: MediaRow[];
  now: number;
}

export function buildReview(
  ctx: Context,
  post: PostWithDeliveries["post"],
  { channels, media, now }: Material,
): Review {
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
  const ownTimes = readOwnTimes(post.overrides);
  const earliest = earliestTime(readTimes(post, post.publishAt));
  return {
    channels: post.channels.flatMap((id): ReviewedChannel[] => {
      const channel = channels.find((candidate) => candidate.id === id);
      const rule = findNetwork(channel?.platform ?? "")?.rule;
      if (channel === undefined || rule === undefined) return [];
      const { platform, handle, name } = channel;
      const { text: ownText, media: files, options } = taggedContent(post, { channel: id, platform });
      const poll = getPoll(post, id);
      const text = getOutgoingText({ text: ownText, options, poll }, rule);
      const isThumbnail = (name: string) => THUMBNAIL_OPTIONS.some((option) => option === name);
      const thumbnail = findThumbnail(options);
      return [
        {
          platform,
          handle,
          name,
          publishAt: ownTimes.get(id) ?? null,
          postType: post.postType === null ? null : effectivePostType({ rule, postType: post.postType }),
          parts: [{ text, media: files }, ...taggedThread(post, { channel: id, platform })].map(
            (threadPart, place) => ({
              text: threadPart.text,
              files: filesAt(id, place, threadPart.media),
            }),
          ),
          poll,
          thumbnail: thumbnail === null ? [] : filesAt(id, "thumbnail", [thumbnail]),
          options: Object.entries(options).filter(([name]) => !isThumbnail(name)),
        },
      ];
    }),
    publishAt: post.publishAt,
    timezone: post.timezone,
    repeat: post.repeat,
    isLate: earliest !== null && earliest < now - PUBLISH_PAST_TOLERANCE_MS,
  };
}
