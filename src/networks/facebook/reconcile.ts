// Finds a post whose answer was lost. Only a post that is certainly ours counts as ours. Finding none proves nothing, because
// the list of a Page's posts is ranked and may omit some.
import * as z from "zod";
import { type Live, type ReconcileOutcome, reasonFor } from "../../domain/delivery/outcome.ts";
import { hex } from "../../domain/encoding.ts";
import type { ConnectorContext } from "../network.ts";
import type { Answer } from "../shared/http-call.ts";
import { get, parseInstant, readSuccess, WEBSITE } from "./api.ts";
import { failure } from "./errors.ts";
import type { Credential, Step } from "./rule.ts";

/** How many posts one answer has: the newest. */
const POSTS_READ = "25";
/** In milliseconds: how far the network's clock may be behind ours, and after how long our call can no longer arrive. */
const EARLIER_MS = 5_000;
const LATER_MS = 15 * 60_000;
/** How far the time of a backdated post may be from the requested one, whose minute counts. */
const BACKDATED_MS = 2 * 60_000;

const Target = z.object({ id: z.string().optional() }).optional().catch(undefined);
const Attachment = z.object({
  media_type: z.string().optional(),
  target: Target,
  subattachments: z.object({ data: z.array(z.object({ target: Target })) }).optional(),
});
export const Attachments = z.object({ data: z.array(Attachment) }).optional();
export const ATTACHMENTS = "attachments{media_type,target{id},subattachments{target{id}}}";
const Post = z.object({
  id: z.string().min(1),
  message: z.string().default(""),
  created_time: z.string(),
  permalink_url: z.string().min(1).optional(),
  attachments: Attachments,
});
type Post = z.output<typeof Post>;
const Posts = z.object({ data: z.array(Post) });

/** The address of a post; if the network gives none, an address that redirects to it. */
export const resolvePostUrl = (id: string, permalink: string | undefined) =>
  (permalink === undefined ? null : URL.parse(permalink, WEBSITE))?.href ?? `${WEBSITE}/${id}`;

export const live = (id: string, url: string): Live => ({ is: "live", id, url, urlState: "none" });

export async function textDigest(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return hex(new Uint8Array(digest));
}

/** A backdated post is listed at its own time: `since` and `until` are Unix seconds. */
function publishedPosts({ credential, io }: ConnectorContext<Credential>, backdatedAt: number | undefined) {
  const fields = `id,message,created_time,permalink_url,${ATTACHMENTS}`;
  const path = `/${credential.page_id}/published_posts`;
  const seconds = (instant: number) => String(Math.floor(instant / 1_000));
  const window: Record<string, string> =
    backdatedAt === undefined
      ? {}
      : { since: seconds(backdatedAt - BACKDATED_MS), until: seconds(backdatedAt + BACKDATED_MS) };
  return get(io, credential.page_token, path, { fields, limit: POSTS_READ, ...window });
}

const isPlain = ({ attachments }: Post) =>
  (attachments?.data ?? []).every(({ media_type = "link" }) => media_type === "link");

async function withText(posts: Post[], digest: string): Promise<Post[]> {
  const digests = await Promise.all(posts.map(({ message }) => textDigest(message)));
  return posts.filter((post, i) => digests[i] === digest && isPlain(post));
}

/**
 * Existing posts without photos that have the same text, so that none of them is mistaken for the new post; null if unknown.
 */
export async function findDuplicates(
  digest: string,
  context: ConnectorContext<Credential>,
  backdatedAt: number | undefined,
): Promise<string[] | null> {
  const posts = readSuccess(await publishedPosts(context, backdatedAt), Posts);
  return posts === undefined ? null : (await withText(posts.data, digest)).map(({ id }) => id);
}

const PhotoNode = z.object({ page_story_id: z.string().min(1).optional() });

/** Reconciles a post in the feed: by its photo if it has one, else by its exact text. */
export async function reconcileInFeed(
  publishKey: Step<"feed">,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const { credential, io } = context;
  const [photo] = publishKey.photos;
  if (photo !== undefined) {
    const node = await get(io, credential.page_token, `/${photo.id}`, { fields: "page_story_id" });
    // The Page's story that contains a photo, for published photos only: docs/graph-api/reference/photo, read 2026-11-22.
    const id = readSuccess(node, PhotoNode)?.page_story_id;
    if (id !== undefined) return live(id, resolvePostUrl(id, await fetchPermalink(id, context)));
  }
  const answer = await publishedPosts(context, publishKey.backdated_at);
  const posts = readSuccess(answer, Posts)?.data;
  if (posts === undefined) return failureToRead(answer, io.now());
  const candidates =
    photo === undefined
      ? await byText(posts, publishKey)
      : posts.filter((post) => listTargets(post).includes(photo.id));
  const [only, second] = candidates;
  // Only a user can tell two equal posts apart.
  if (only === undefined) return { is: "unknown", detail: "not among the newest posts", isAbsent: true };
  if (second !== undefined) return { is: "unknown", detail: "two posts have this text" };
  return live(only.id, resolvePostUrl(only.id, only.permalink_url));
}

/** The items that a post shows, in order: each file of an album separately. */
export const listTargets = ({ attachments }: Pick<Post, "attachments">): string[] =>
  (attachments?.data ?? []).flatMap(({ target, subattachments }) =>
    (subattachments?.data ?? [{ target }]).map((attachment) => attachment.target?.id ?? ""),
  );

async function byText(
  posts: Post[],
  { at, text_sha256, duplicates, backdated_at: backdatedAt }: Step<"feed">,
): Promise<Post[]> {
  if (duplicates === null) return [];
  const [earliest, latest] =
    backdatedAt === undefined
      ? [at - EARLIER_MS, at + LATER_MS]
      : [backdatedAt - BACKDATED_MS, backdatedAt + BACKDATED_MS];
  const inTime = posts.filter(({ id, created_time }) => {
    const createdAt = parseInstant(created_time);
    return createdAt >= earliest && createdAt <= latest && !duplicates.includes(id);
  });
  return withText(inTime, text_sha256);
}

const Permalink = z.object({ permalink_url: z.string().min(1).optional() });

async function fetchPermalink(
  id: string,
  { credential, io }: ConnectorContext<Credential>,
): Promise<string | undefined> {
  const answer = await get(io, credential.page_token, `/${id}`, { fields: "permalink_url" });
  return readSuccess(answer, Permalink)?.permalink_url;
}

const Stories = z.object({
  data: z.array(
    z.object({ post_id: z.string().min(1), media_id: z.string().optional(), url: z.string().min(1).optional() }),
  ),
});
type Story = z.output<typeof Stories>["data"][number];

/** The stories of the Page: page stories guide, read 2026-11-20. The network's answer if it contains none. */
export async function fetchStories({ credential, io }: ConnectorContext<Credential>): Promise<Story[] | Answer> {
  const fields = "post_id,status,creation_time,media_type,media_id,url";
  const answer = await get(io, credential.page_token, `/${credential.page_id}/stories`, { fields });
  return readSuccess(answer, Stories)?.data ?? answer;
}

/** A live story. Its address is only in the list of stories, and may appear there a little later. */
export async function liveStory(postId: string, context: ConnectorContext<Credential>): Promise<Live> {
  const stories = await fetchStories(context);
  const story = "is" in stories ? undefined : stories.find(({ post_id }) => post_id === postId);
  const url = story?.url ?? null;
  return { is: "live", id: postId, url, urlState: url === null ? "pending" : "none" };
}

/**
 * Reconciles a story by the photo or video that it shows. Its `media_id` is the id of that file: docs/page-stories-api, read
 * 2026-11-22.
 */
export async function reconcileStory(
  mediaId: string,
  context: ConnectorContext<Credential>,
): Promise<ReconcileOutcome> {
  const stories = await fetchStories(context);
  if ("is" in stories) return failureToRead(stories, context.io.now());
  const story = stories.find(({ media_id }) => media_id === mediaId);
  if (story === undefined) return { is: "unknown", detail: "not in the list of stories" };
  const { post_id, url } = story;
  return { is: "live", id: post_id, url: url ?? null, urlState: url === undefined ? "pending" : "none" };
}

/** Classifies a failed read: a refused token is renewed, and after any other failure the network is asked again. */
export function failureToRead(answer: Answer, now: number): ReconcileOutcome {
  const failed = failure(answer, now);
  return failed.is === "rejected" ? { is: "unknown", ...reasonFor(failed) } : failed;
}
