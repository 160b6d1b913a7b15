// Finds a post by its content, searching the account's list for its exact text, and builds the address of a post.
import * as z from "zod";
import type { Live, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";
import { comparable } from "../../domain/delivery/readback.ts";
import type { ConnectorContext } from "../network.ts";
import { unavailable } from "../shared/http-call.ts";
import { call, readData } from "./api.ts";
import { readRejection } from "./errors.ts";
import type { Credential, Post } from "./rule.ts";

/** How far the network's clock may be behind ours. */
const CLOCK_SKEW_MS = 5_000;

/** An id, which the network writes as a number in one place and as a string in another. */
export const Id = z.union([z.string().regex(/^\d+$/), z.int()]).transform(String);

export function live(publishId: string, post: Post, id: string | null): Live {
  const url = id === null ? null : buildPostUrl(post, id);
  if (id !== null && url !== null) return { is: "live", id, url, urlState: "none" };
  return { is: "live", id: publishId, url: null, urlState: post.public ? "pending" : "not_reported" };
}

/** No page documents `/photo/`; the site redirects from one to the other. */
export function buildPostUrl({ username, kind }: Post, id: string): string | null {
  if (username === null) return null;
  return `https://www.tiktok.com/@${username}/${kind}/${id}`;
}

const Listed = z.object({
  videos: z.array(
    z.object({
      id: Id,
      create_time: z.number(),
      title: z.string().nullish(),
      video_description: z.string().nullish(),
      share_url: z.string().nullish(),
    }),
  ),
});

/**
 * How many characters of a text the list shows at most (doc/tiktok-api-v2-video-object, read 2026-11-22); the unit is not
 * documented, and UTF-16 never counts fewer.
 */
const SHOWN_MAX = 150;

/** Whether a listed text may be the beginning of this one: the cut may also remove the space before it. */
export function isSameOrTruncated(listedText: string, text: string): boolean {
  const [beginning, whole] = [comparable(listedText), comparable(text)];
  return beginning === whole || (beginning.length >= SHOWN_MAX - 10 && whole.startsWith(beginning));
}

/** Whether a listed text equals this one or, if it may be cut off, its beginning. */
function isAlike(listedText: string | null | undefined, text: string): boolean {
  return listedText != null && (listedText.length < SHOWN_MAX ? listedText === text : text.startsWith(listedText));
}

/**
 * Searches for a post with exactly this text since `since` (epoch milliseconds). Only public posts are listed, and it is not
 * documented whether photos are: a post that is not found may still be out.
 */
export async function findByText(
  post: Post,
  since: number,
  context: ConnectorContext<Credential>,
): Promise<Live | Unknown | Retryable | Unauthorized> {
  if (post.draft === true) return { is: "unknown", detail: "TikTok does not list what is in an inbox" };
  if (!post.public) return { is: "unknown", detail: "TikTok lists public posts only" };
  const text = post.text === "" ? post.title : post.text;
  if (text === null) return { is: "unknown", detail: "a post without text cannot be distinguished from others" };
  const fields = "id,create_time,title,video_description,share_url";
  const answer = await call(context, `video/list/?fields=${fields}`, { max_count: 20 });
  const listed = readData(answer, Listed);
  if (listed === undefined) {
    const rejection = readRejection(answer, context.io.now());
    return rejection === null || rejection.is === "rejected" ? unavailable(answer, context.io.now()) : rejection;
  }
  const alike = listed.videos.filter(
    ({ title, video_description }) => isAlike(title, text) || isAlike(video_description, text),
  );
  const isWhole = text.length < SHOWN_MAX;
  // Posts with the same cut-off beginning cannot be told apart, whatever their age, and a single one only counts if its age
  // makes it certain.
  if (!isWhole && alike.length > 1) return { is: "unknown", detail: "several listed posts begin with this text" };
  const earliest = isWhole ? since - CLOCK_SKEW_MS : since;
  const candidates = alike.filter(({ create_time }) => create_time * 1000 >= earliest);
  const [first, second] = candidates;
  if (first === undefined) return { is: "unknown", detail: "no listed post has this text" };
  if (second !== undefined) return { is: "unknown", detail: "several listed posts have this text" };
  return live(first.id, post, first.id);
}
