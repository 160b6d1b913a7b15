import { refuse } from "../../domain/refusal.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { type Addresses, postView } from "../../views/post.ts";
import { entityTag } from "../if-match.ts";

/** Throws `post_changed` if the post is at none of the revisions that the caller would change; undefined: any. */
export function refuseChanged(
  addresses: Addresses,
  storedPost: PostWithDeliveries,
  revisions: readonly number[] | undefined,
  field = "If-Match",
): void {
  const { revision } = storedPost.post;
  if (revisions === undefined || revisions.includes(revision)) return;
  const fieldName = field.replace(/^\//, "");
  throw postChanged(addresses, storedPost, field, `The post has another revision than \`${fieldName}\` names.`);
}

/**
 * Throws `post_changed` if the content of the post differs from the content that was decided on; undefined: the
 * decision names no content.
 */
export function refuseOtherContent(
  addresses: Addresses,
  storedPost: PostWithDeliveries,
  contentTag: string | undefined,
): void {
  if (contentTag === undefined || contentTag === storedPost.post.contentTag) return;
  throw postChanged(addresses, storedPost, "/content_tag", "The post has another content than `content_tag` names.");
}

const postChanged = (addresses: Addresses, storedPost: PostWithDeliveries, field: string, message: string) =>
  refuse("post_changed", {
    field,
    message,
    extra: { current: postView(addresses, storedPost) },
    headers: { ETag: entityTag(storedPost.post.revision) },
  });
