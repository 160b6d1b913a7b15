// Shows a post to a reviewer without an account, by its link, and takes their decision. The reviewer sees this post and
// nothing else.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { ask } from "../../store/db/batch.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { endReviewLink, findReviewLink } from "../../store/posts/review-links.ts";
import { showBrand } from "../brand.ts";
import { mayMakerStill } from "../maker.ts";
import { type DecisionResult, decideAsStranger, readReason, readReviewerName } from "./decide-as-stranger.ts";
import { buildReview, type Review } from "./reviewed.ts";
import { type Found, readToEdit } from "./update.ts";

/** The brand of the workspace as reviewers see it; null: none. */
type Brand = Awaited<ReturnType<typeof showBrand>>;

export type Opened =
  /** The link never existed or has ended; the answer does not say which. */
  | { is: "closed" }
  /** The post has changed since the link was created. */
  | { is: "changed" }
  | { is: "open"; review: Review; brand: Brand };

/** A reviewer's answer. */
export interface Answer {
  decision: "approve" | "decline";
  name: string;
  reason: string;
  /** The user who is signed in in this browser; null: none. */
  userId: string | null;
}
export type Answered =
  | Exclude<DecisionResult, { is: "approved" | "declined" }>
  | (Extract<DecisionResult, { is: "approved" | "declined" }> & { brand: Brand })
  | { is: "unreadable"; field: "name" | "reason" };

export async function openReview(ctx: Context, token: string): Promise<Opened> {
  const opened = await readLinked(ctx, token);
  if (opened.is !== "open") return opened;
  const { link, post, found } = opened;
  return { is: "open", review: buildReview(ctx, post, found[1]), brand: await showBrand(ctx, link.workspaceId, null) };
}

/** Records the one decision that the link permits. */
export async function answerReview(ctx: Context, token: string, answer: Answer): Promise<Answered> {
  const opened = await readLinked(ctx, token);
  if (opened.is !== "open") return opened;
  const name = readReviewerName(answer.name);
  if (name === null) return { is: "unreadable", field: "name" };
  const { decision } = answer;
  const reason = readReason(answer.reason);
  if (decision === "decline" && reason === null) return { is: "unreadable", field: "reason" };
  const { link, found } = opened;
  const { workspaceId, postId, rev, contentTag } = link;
  const deciders = [link.createdBy, answer.userId].filter((decider) => decider !== null);
  const decided = { workspaceId, postId, rev, contentTag, decision, name, reason: reason ?? "", deciders };
  const result = await decideAsStranger(ctx, decided, found);
  // A failure here does no harm, because the post never awaits approval at this revision again.
  if (result.is !== "approved" && result.is !== "declined") return result;
  await endReviewLink(ctx.accounts, link.tokenHash);
  return { ...result, brand: await showBrand(ctx, workspaceId, null) };
}

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
