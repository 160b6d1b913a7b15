import { refuse } from "../../domain/refusal.ts";
import type { PostWithDeliveries } from "../../store/posts/posts.ts";
import { type Addresses, postView } from "../../views/post.ts";
import { entityTag } from "../if-match.ts";

/** Throws `post_changed` if the post is at none of the revisions that the caller would change; undefined: any. */
export function refuseChanged(
  addresses: Addresses,
  found: PostWithDeliveries,
  revisions: readonly number[] | undefined,
  field = "If-Match",
): void {
  const { revision } = found.post;
  if (revisions === undefined || revisions.includes(revision)) return;
  const named = field.replace(/^\//, "");
  throw postChanged(addresses, found, field, `The post has another revision than \`${named}\` names.`);
}

/**
 * Throws `post_changed` if the content of the post differs from the content that was decided on; undefined: the
 * decision names no content.
 */
export function refuseOtherContent(
  addresses: Addresses,
  found: PostWithDeliveries,
  contentTag: string | undefined,
): void {
  if (contentTag === undefined || contentTag === found.post.contentTag) return;
  throw postChanged(addresses, found, "/content_tag", "The post has another content than `content_tag` names.");
}

const postChanged = (addresses: Addresses, found: PostWithDeliveries, field: string, message: string) =>
  refuse("post_changed", {
    field,
    message,
    extra: { current: postView(addresses, found) },
    headers: { ETag: entityTag(found.post.revision) },
  });
