// The calls of a portal's visitors. The token in the address is their only credential.
import type * as z from "zod";
import type { Context } from "../../context.ts";
import type {
  commentInPortal as commentContract,
  decideInPortal as decideContract,
  openPortal as openContract,
} from "../../contract/portals.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { COMMENTS_PER_POST_MAX } from "../../domain/limits.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import type { PortalRow } from "../../store/posts/portals.ts";
import { commentView } from "../../views/comment.ts";
import { showBrand } from "../brand.ts";
import { readReason, readReviewerName } from "../posts/decide-as-stranger.ts";
import { readDueCursor, writeDueCursor } from "../posts/due-cursor.ts";
import type { ReviewedFile } from "../posts/reviewed.ts";
import { limitTries } from "../rate-limit.ts";
import { created, ok, type Run } from "../run.ts";
import { commentOnPost } from "./comment.ts";
import { decidePosts } from "./decide.ts";
import { findOpenPortal, readContent, type ShownDecision, type WaitingPost } from "./open.ts";

type Opened = z.input<typeof openContract.result>;

export const openPortal: Run<typeof openContract> = async (ctx, _caller, { params, query }) => {
  const portal = await findVisited(ctx, params.token);
  const { posts, decided, next } = await readContent(ctx, portal, readDueCursor(query.cursor));
  return ok({
    name: portal.name,
    brand: await showBrand(ctx, portal.workspaceId, portal.brand),
    expires_at: isoInstant(portal.expiresAt),
    posts: posts.map(waitingView),
    decided: decided.map(decisionView),
    next: next && writeDueCursor(next),
  });
};

async function findVisited(ctx: Context, token: string): Promise<PortalRow> {
  await limitTries(ctx, { address: "portal_address" });
  const portal = await findOpenPortal(ctx, token);
  if (portal === null) throw refuse("not_found");
  return portal;
}

function waitingView({ post, review, comments }: WaitingPost): Opened["posts"][number] {
  return {
    post: post.id,
    rev: post.revision,
    content_tag: post.contentTag,
    comments: comments.map(commentView),
    publish_at: isoOrNull(review.publishAt),
    timezone: review.timezone,
    is_late: review.isLate,
    channels: review.channels.map(({ platform, handle, name, postType, parts, thumbnail, options }) => ({
      platform,
      handle,
      name,
      post_type: postType,
      parts: parts.map(({ text, files }) => ({ text, files: files.map(fileView) })),
      thumbnail: thumbnail.map(fileView)[0] ?? null,
      options: Object.fromEntries(options),
    })),
  };
}

const fileView = ({ kind, url, isStored, alt, adapted }: ReviewedFile) => ({
  kind,
  url,
  is_stored: isStored,
  alt,
  is_adapted: adapted !== null,
});

/** How much of a post's text stands with a decision on it. */
const TEXT_SHOWN = 200;

const decisionView = ({ decision, post }: ShownDecision): Opened["decided"][number] => ({
  post: decision.postId,
  decision: decision.decision,
  by: decision.by,
  reason: decision.reason,
  at: isoInstant(decision.decidedAt),
  status: post?.status ?? null,
  text: post === null || post.text === null ? null : [...post.text].slice(0, TEXT_SHOWN).join(""),
});

/** The name of a visitor. Throws `invalid_field`. */
function readName(value: string): string {
  const name = readReviewerName(value);
  if (name !== null) return name;
  throw refuse("invalid_field", {
    field: "/name",
    message: "`name` is empty, has several lines, or mixes letters that look alike.",
  });
}

export const commentInPortal: Run<typeof commentContract> = async (ctx, _caller, { params, body }) => {
  const portal = await findVisited(ctx, params.token);
  const result = await commentOnPost(ctx, portal, { ...body, name: readName(body.name) });
  if (result.is === "closed") throw refuseNotFound("post");
  if (result.is === "full")
    throw refuse("too_many_entries", { message: `The post has ${COMMENTS_PER_POST_MAX} comments.`, hint: "" });
  return created(commentView(result.comment));
};

export const decideInPortal: Run<typeof decideContract> = async (ctx, _caller, { params, body }) => {
  const portal = await findVisited(ctx, params.token);
  const name = readName(body.name);
  const decisions = body.decisions.map(({ post, rev, content_tag: contentTag, decision, reason: given }, i) => {
    const reason = readReason(given ?? "");
    if (decision === "decline" && reason === null)
      throw refuse("missing_field", { field: `/decisions/${i}/reason`, message: "`reason` is required to decline." });
    return { post, rev, contentTag, decision, reason: reason ?? "" };
  });
  const results = await decidePosts(ctx, portal, { name, userId: null }, decisions);
  return ok({
    decisions: results.map((result, i) => ({
      post: decisions[i]?.post ?? "",
      result: result.is,
      due_at: result.is === "approved" ? result.dueAt : null,
    })),
  });
};
