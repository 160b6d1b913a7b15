// Comments of a portal's visitors. Members read them with the post's other comments.
import type { Context } from "../../context.ts";
import { makeId } from "../../domain/ids.ts";
import { COMMENTS_PER_POST_MAX } from "../../domain/limits.ts";
import { type CommentRow, insertComment } from "../../store/posts/comments.ts";
import type { PortalRow } from "../../store/posts/portals.ts";
import { getPost } from "../../store/posts/posts.ts";
import { isInScope } from "./scope.ts";

export type CommentResult = { is: "stored"; comment: CommentRow } | { is: "closed" } | { is: "full" };

/** Stores a comment on a post that the portal shows, whether or not it still awaits a decision. */
export async function commentOnPost(
  ctx: Context,
  portal: PortalRow,
  { post: postId, name, text }: { post: string; name: string; text: string },
): Promise<CommentResult> {
  const { workspaceId } = portal;
  const db = ctx.databaseOf(workspaceId);
  const post = await getPost(db, workspaceId, postId);
  if (post === undefined || post.post.approval === null || !isInScope(portal, post)) return { is: "closed" };
  const createdAt = ctx.now();
  const author = { kind: "reviewer", id: null, name } as const;
  const row = { workspaceId, id: makeId("cmt", createdAt, ctx.entropy), postId, text, author, createdAt };
  const stored = await insertComment(db, row, COMMENTS_PER_POST_MAX, false);
  return stored === undefined ? { is: "full" } : { is: "stored", comment: stored };
}
