// Rechecks a published post: whether it exists, its address, and its metrics. Only public posts are visible to the API.
import * as z from "zod";
import type { RecheckOutcome, Unknown } from "../../domain/delivery/outcome.ts";
import type { Accepted } from "../../domain/delivery/readback.ts";
import type { ConnectorContext, MetricsOutcome } from "../network.ts";
import { unanswered } from "../shared/http-call.ts";
import { call, readData } from "./api.ts";
import { harmless } from "./errors.ts";
import { askStatus, publicId } from "./publish.ts";
import type { Credential, PublishKey } from "./rule.ts";
import { buildPostUrl, isSameOrTruncated } from "./timeline.ts";

type Published = { id: string; publishKey: PublishKey | null };

const Metric = z.int().min(0).optional();
const Video = z.object({
  share_url: z.string().nullish(),
  title: z.string().nullish(),
  video_description: z.string().nullish(),
  view_count: Metric,
  like_count: Metric,
  comment_count: Metric,
  share_count: Metric,
});
const Found = z.object({ videos: z.array(Video) });

/**
 * Finds the post's public id; null if the post is not public yet. Until it is public, the network only has its
 * `publish_id`.
 */
async function findPostId(
  { id, publishKey }: Published,
  context: ConnectorContext<Credential>,
): Promise<string | null | Unknown> {
  if (/^\d+$/.test(id)) return id;
  if (publishKey?.post.public === false) return { is: "unknown", detail: "TikTok shows public posts only" };
  const status = await askStatus(id, context);
  if ("is" in status)
    return status.is === "lost" ? { is: "unknown", networkMessage: status.networkMessage } : unanswered(status);
  if (status.status !== "PUBLISH_COMPLETE") return { is: "unknown", networkMessage: status.status };
  return publicId(status);
}

/** Reads a public post by its id; null if the post was deleted or is no longer public. */
async function query(id: string, fields: string, context: ConnectorContext<Credential>) {
  const answer = await call(context, `video/query/?fields=id,${fields}`, { filters: { video_ids: [id] } });
  const listing = readData(answer, Found);
  if (listing !== undefined) return listing.videos[0] ?? null;
  return unanswered(harmless(answer, context.io.now()));
}

export async function recheck(
  published: Published,
  context: ConnectorContext<Credential>,
  accepted?: Accepted,
): Promise<RecheckOutcome> {
  const id = await findPostId(published, context);
  if (id === null) return { is: "there", url: null, ...(accepted && { altered: "later" }) };
  if (typeof id !== "string") return id;
  const video = await query(id, `share_url${accepted === undefined ? "" : ",title,video_description"}`, context);
  if (video === null) return { is: "gone" };
  if ("is" in video) return video;
  const { publishKey } = published;
  const url = plainAddress(video.share_url) ?? (publishKey === null ? null : buildPostUrl(publishKey.post, id));
  if (accepted === undefined) return { is: "there", url };
  const text = accepted.text === "" ? (publishKey?.post.title ?? "") : accepted.text;
  const shownTexts = [video.title ?? "", video.video_description ?? ""].filter((shownText) => shownText !== "");
  if (shownTexts.length === 0 && text !== "") return { is: "there", url };
  return {
    is: "there",
    url,
    altered: text === "" || shownTexts.some((shownText) => isSameOrTruncated(shownText, text)) ? [] : ["text"],
  };
}

/** The network's own address of a post, without the tracking parameters for shares. */
function plainAddress(url: string | null | undefined): string | null {
  if (!url || !URL.canParse(url)) return null;
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

export async function readMetrics(
  published: Published,
  context: ConnectorContext<Credential>,
): Promise<MetricsOutcome> {
  const id = await findPostId(published, context);
  if (id === null) return { is: "unknown", detail: "the post is not public yet" };
  if (typeof id !== "string") return id;
  const video = await query(id, "view_count,like_count,comment_count,share_count", context);
  if (video === null) return { is: "unknown", detail: "the post is no longer public" };
  if ("is" in video) return video;
  const metrics = {
    views: video.view_count,
    likes: video.like_count,
    comments: video.comment_count,
    shares: video.share_count,
  };
  return { is: "read", metrics };
}
