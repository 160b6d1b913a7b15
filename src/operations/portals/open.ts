// A portal as its visitors see it: the posts of its scope that await approval, and the latest decisions.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { LIST_LIMIT_MAX, PORTAL_POSTS_MAX } from "../../domain/limits.ts";
import { contentFor } from "../../domain/posts/channel-content.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { channelsByIds } from "../../store/channels/channels.ts";
import { ask } from "../../store/db/batch.ts";
import { mediaOfPosts } from "../../store/media/media.ts";
import { type CommentRow, visitorComments } from "../../store/posts/comments.ts";
import { type Finding, findPosts, toCursor } from "../../store/posts/find.ts";
import { findPortal, latestDecisions, type PortalDecisionRow, type PortalRow } from "../../store/posts/portals.ts";
import { type ListedPost, type PostWithDeliveries, postsByIds } from "../../store/posts/posts.ts";
import type { DueCursor } from "../../store/posts/walks.ts";
import { buildReview, type Review } from "../posts/reviewed.ts";
import { isInScope } from "./scope.ts";
import { isActive } from "./view.ts";

/** The decisions that a portal shows. */
const DECISIONS_SHOWN = 20;
/** The comments on all posts of a page. */
const COMMENTS_SHOWN = 200;
/** How many statements find the posts of a page. Each reads at most `LIST_LIMIT_MAX` waiting posts. */
const STATEMENTS_MAX = 3;

/** The portal with this token; null: it never existed or is closed, which the answer does not tell apart. */
export async function findOpenPortal(ctx: Context, token: string): Promise<PortalRow | null> {
  const portal = await findPortal(ctx.accounts, await sha256Hex(token));
  if (portal === undefined || !(await isActive(ctx, portal))) return null;
  await ctx.homes.locate(portal.workspaceId);
  return portal;
}

export interface WaitingPost {
  post: PostWithDeliveries["post"];
  review: Review;
  /** The comments of people without an account, newest first. Those of members are their own business. */
  comments: CommentRow[];
}
/** A decision, with what its visitors may see of the post as it is now. */
export interface ShownDecision {
  decision: PortalDecisionRow;
  /** null: the post was deleted, or is no longer one of those that the portal shows. */
  post: {
    status: PostStatus;
    timezone: string;
    /** The text for its first channel; null: the post has other content than was decided on. */
    text: string | null;
  } | null;
}
export interface PortalContent {
  posts: WaitingPost[];
  decided: ShownDecision[];
  /** The position after which the next page begins; null: this is the last page. */
  next: DueCursor | null;
}

export async function readContent(ctx: Context, portal: PortalRow, after: DueCursor | null): Promise<PortalContent> {
  const { workspaceId } = portal;
  const db = ctx.databaseOf(workspaceId);
  const { rows, next } = await findWaiting(ctx, portal, after);
  const channelIds = [...new Set(rows.flatMap(({ post }) => post.channels))];
  const decisions = await latestDecisions(ctx.accounts, workspaceId, portal.id, DECISIONS_SHOWN);
  const decidedIds = [...new Set(decisions.map(({ postId }) => postId))];
  const ids = rows.map(({ post }) => post.id);
  const [channels, media, comments, decidedPosts] = await Promise.all([
    channelsByIds(db, workspaceId, channelIds),
    mediaOfPosts(db, workspaceId, ids),
    visitorComments(db, workspaceId, ids, COMMENTS_SHOWN),
    postsByIds(db, workspaceId, decidedIds),
  ]);
  const material = { channels, media, now: ctx.now() };
  return {
    posts: rows.map(({ post }) => ({
      post,
      review: buildReview(ctx, post, material),
      comments: comments.filter(({ postId }) => postId === post.id),
    })),
    decided: decisions.map((decision) => ({
      decision,
      post: showDecided(
        portal,
        decision,
        decidedPosts.find(({ post }) => post.id === decision.postId),
      ),
    })),
    next,
  };
}

/** Shows no content that the visitors of this portal have not seen. */
function showDecided(
  portal: PortalRow,
  { contentTag }: PortalDecisionRow,
  decided: PostWithDeliveries | undefined,
): ShownDecision["post"] {
  if (decided === undefined || !isInScope(portal, decided)) return null;
  const { post } = decided;
  const { status, timezone, channels } = post;
  return { status, timezone, text: post.contentTag === contentTag ? contentFor(post, channels[0] ?? "").text : null };
}

/**
 * The posts of a page. Few posts await approval at a time, so those of other scopes are read and skipped. If too many are
 * skipped, the page ends early, because its visitors have no account and could otherwise cause any amount of work.
 */
async function findWaiting(ctx: Context, portal: PortalRow, after: DueCursor | null) {
  const { workspaceId } = portal;
  const db = ctx.databaseOf(workspaceId);
  const finding: Finding = { ...WAITING, now: ctx.now(), after };
  const rows: ListedPost[] = [];
  for (let statements = 1; ; statements++) {
    const page = await ask(db, findPosts(db, workspaceId, finding));
    rows.push(...page.posts.filter((row) => isInScope(portal, row)));
    const last = rows[PORTAL_POSTS_MAX - 1];
    if (rows.length > PORTAL_POSTS_MAX && last !== undefined)
      return { rows: rows.slice(0, PORTAL_POSTS_MAX), next: toCursor(last) };
    if (page.goesOnAfter === null || statements === STATEMENTS_MAX) return { rows, next: page.goesOnAfter };
    finding.after = page.goesOnAfter;
  }
}

const WAITING = {
  status: "awaiting_approval",
  range: null,
  channel: null,
  platform: null,
  label: null,
  media: null,
  author: null,
  needsAttention: false,
  words: [],
  order: "due",
  limit: LIST_LIMIT_MAX,
} satisfies Partial<Finding>;
