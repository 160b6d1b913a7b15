import { refuse } from "../../domain/refusal.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import { entityTag } from "../if-match.ts";

/** Throws `post_changed` when the post is at none of the revisions that the caller would change; undefined: any. */
export function refuseChanged(
  found: PostWithDeliveries,
  revisions: readonly number[] | undefined,
  field = "If-Match",
): void {
  const { revision } = found.post;
  if (revisions === undefined || revisions.includes(revision)) return;
  const named = field.replace(/^\//, "");
  throw refuse("post_changed", {
    field,
    message: `The post has another revision than \`${named}\` names.`,
    extra: { current: postView(found) },
    headers: { ETag: entityTag(revision) },
  });
}
