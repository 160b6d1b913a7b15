// Reads the posts with problems: those that failed or were changed or removed, and those that will fail.
import type { Client } from "../../client/client.ts";
import { Refusal } from "../../client/errors.ts";
import type { Post } from "../types.ts";

const DAY_MS = 24 * 3_600_000;
/** Problems of older posts are in the list of posts only. */
const RECENT_MS = 14 * DAY_MS;
const LIMIT = "50";
/** How many posts at risk are read, with one call each. */
const AT_RISK_MAX = 10;

export interface ProblemPosts {
  /** The newest first. */
  posts: Post[];
  /** Whether there are more. */
  hasMore: boolean;
}

/** The recent posts that failed on a channel, or that a network changed or removed. */
export async function readProblemPosts(client: Client, signal: AbortSignal): Promise<ProblemPosts> {
  const now = client.now();
  const [from, to] = [now - RECENT_MS, now].map((instant) => new Date(instant).toISOString());
  const { body } = await client.call("posts.list", { query: { attention: "true", from, to, limit: LIMIT }, signal });
  return { posts: body.posts, hasMore: body.next !== null };
}

/** Upcoming posts that would have failed according to a check within the last day, the next one first. */
export async function readAtRisk(client: Client, signal: AbortSignal): Promise<Post[]> {
  const { body } = await client.call("events.list", { query: { event: "delivery.at_risk", limit: "50" }, signal });
  const since = new Date(client.now() - DAY_MS).toISOString();
  const ids = new Set(
    body.events.flatMap(({ post, created_at }) => (post === null || created_at < since ? [] : [post])),
  );
  const posts = await Promise.all(
    [...ids].slice(0, AT_RISK_MAX).map(async (id) => {
      try {
        return (await client.call("posts.get", { params: { id }, signal })).body;
      } catch (error) {
        // The post was discarded meanwhile.
        if (error instanceof Refusal && error.status === 404) return null;
        throw error;
      }
    }),
  );
  return posts
    .flatMap((post) => (post?.status === "scheduled" ? [post] : []))
    .sort((first, second) => (first.due_at ?? "").localeCompare(second.due_at ?? ""));
}
