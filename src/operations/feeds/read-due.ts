// Reads a due feed and makes posts of its new items, each exactly once: the item's mark is the post's idempotency key, so a
// read that ends between a post and its record makes no second one.

import { asRefusal } from "../../adapters/refusal-response.ts";
import type { Context } from "../../context.ts";
import { createPost as contract } from "../../contract/posts.ts";
import { type FeedProblem, withSeen } from "../../domain/feeds/feed.ts";
import type { FeedItem } from "../../domain/feeds/read-document.ts";
import { fillTemplate } from "../../domain/feeds/template.ts";
import { FEED_POSTS_PER_READ_MAX, FEED_SEEN_MAX, MINUTE_MS } from "../../domain/limits.ts";
import { type FeedRow, recordFeedRead, takeFeed } from "../../store/feeds.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { createPost } from "../posts/create.ts";
import { bind } from "../run.ts";
import { FeedFault, markOf, NotAFeed, readFeed } from "./document.ts";
import { findFeedMaker } from "./maker.ts";

const create = bind(contract, createPost);
/** How long a reader has a feed for itself. If it dies, the feed is read again after that. */
const LEASE_MS = 5 * MINUTE_MS;
/** When a feed with more items than one read makes is read again. */
const MORE_MS = MINUTE_MS;

/** What a read did. */
interface Progress {
  done: string[];
  posts: number;
  problem: { code: FeedProblem; message: string } | null;
  hasMore: boolean;
}

/** Reads a feed if it is due and nobody else reads it. */
export async function readDueFeed(ctx: Context, workspaceId: string, feedId: string): Promise<void> {
  await ctx.homes.locate(workspaceId);
  const db = ctx.databaseOf(workspaceId);
  const feed = await takeFeed(db, workspaceId, feedId, LEASE_MS);
  if (feed === undefined) return;
  const record = ({ done, posts, problem, hasMore }: Progress, inDocument: string[], validators = feed.validators) =>
    recordFeedRead(db, feed, {
      seen: withSeen(feed.seen, done, inDocument, FEED_SEEN_MAX),
      // An unchanged document would not be sent again, so its remaining items would wait for the next change.
      validators: hasMore ? {} : validators,
      posts,
      problem: problem === null ? null : { ...problem, at: ctx.now() },
      waitMs: hasMore && problem === null ? MORE_MS : feed.intervalMinutes * MINUTE_MS,
    });
  const caller = await findFeedMaker(ctx, feed);
  if (caller === null) return record(failed("maker_gone", MAKER_GONE), []);
  let read: Awaited<ReturnType<typeof readFeed>>;
  try {
    read = await readFeed(ctx, workspaceId, feed.url, feed.validators);
  } catch (error) {
    if (error instanceof NotAFeed) return record(failed("not_a_feed", error.message), []);
    if (!(error instanceof FeedFault)) throw error;
    return record(failed(error.code, error.message), []);
  }
  if (read.document === null) return record(NOTHING, [], read.validators);
  const items = await Promise.all(read.document.items.map(async (item) => ({ item, mark: await markOf(item) })));
  const seen = new Set(feed.seen);
  const fresh = items.filter(({ mark }) => !seen.has(mark)).reverse();
  const progress = await makePosts(ctx, caller, feed, fresh);
  await record(
    progress,
    items.map(({ mark }) => mark),
    read.validators,
  );
}

const MAKER_GONE = "The person or key that set up this feed may no longer post.";
const NOTHING: Progress = { done: [], posts: 0, problem: null, hasMore: false };
const failed = (code: FeedProblem, message: string): Progress => ({ ...NOTHING, problem: { code, message } });

/** Makes posts of fresh items, in this order, until one cannot be made for now. */
async function makePosts(
  ctx: Context,
  caller: WorkspaceCaller,
  feed: FeedRow,
  fresh: { item: FeedItem; mark: string }[],
): Promise<Progress> {
  const progress: Progress = { ...NOTHING, done: [] };
  for (const { item, mark } of fresh) {
    if (progress.posts === FEED_POSTS_PER_READ_MAX) return { ...progress, hasMore: true };
    const outcome = await makePost(ctx, caller, feed, item, mark);
    if (outcome.problem !== null) progress.problem = outcome.problem;
    if (outcome.is === "later") return { ...progress, hasMore: true };
    progress.done.unshift(mark);
    if (outcome.is === "made") progress.posts++;
  }
  return progress;
}

interface Outcome {
  /** `later`: nothing could be made for now. `skipped`: nothing can be made of this item. */
  is: "made" | "skipped" | "later";
  problem: Progress["problem"];
}

async function makePost(
  ctx: Context,
  caller: WorkspaceCaller,
  feed: FeedRow,
  item: FeedItem,
  mark: string,
): Promise<Outcome> {
  const idempotencyKey = `${feed.id}:${mark}`;
  const { channels, labels, template, draft, publishAt } = feed;
  const common = { text: fillTemplate(template, item), labels, metadata: { feed: feed.id } };
  const attempt = async (body: object) => {
    try {
      await create.invoke(ctx, caller, { params: undefined, query: undefined, body, idempotencyKey });
      return null;
    } catch (error) {
      return asRefusal(error, feed.id);
    }
  };
  const time = publishAt === null ? {} : { publish_at: publishAt };
  const refusal = await attempt({ ...common, channels, ...time, ...(draft ? { draft } : {}) });
  // The item was made with another template, and its record was lost.
  if (refusal === null || refusal.code === "idempotency_key_reused") return { is: "made", problem: null };
  const what = `"${item.title === "" ? (item.link ?? "An item") : item.title}"`;
  // A draft without channels is held to no network's rule.
  const isPermanent = refusal.status === 422 || refusal.status === 402;
  const draftRefusal = isPermanent ? await attempt({ ...common, draft: true }) : refusal;
  if (draftRefusal === null) {
    const message = `${what} is kept as a draft without channels. ${refusal.message}`;
    return { is: "made", problem: { code: "kept_as_draft", message } };
  }
  const problem = { code: "refused" as const, message: `${what} was refused. ${draftRefusal.message}` };
  return { is: draftRefusal.status === 422 ? "skipped" : "later", problem };
}
