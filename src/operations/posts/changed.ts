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
  throw postChanged(found, field, `The post has another revision than \`${named}\` names.`);
}

/** Throws `post_changed` when the content of the post is not what a decision was made on; undefined: the decision names none. */
export function refuseOtherContent(found: PostWithDeliveries, contentTag: string | undefined): void {
  if (contentTag === undefined || contentTag === found.post.contentTag) return;
  throw postChanged(found, "/content_tag", "The post has another content than `content_tag` names.");
}

const postChanged = (found: PostWithDeliveries, field: string, message: string) =>
  refuse("post_changed", {
    field,
    message,
    extra: { current: postView(found) },
    headers: { ETag: entityTag(found.post.revision) },
  });
