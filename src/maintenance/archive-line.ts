// Formats a post as a line of the archive (docs/operations.md#the-archive): everything that GET returned, and the facts
// that only this line holds once the rows are deleted.
import { getReason } from "../domain/delivery/follow-up-view.ts";
import { getLastTry } from "../domain/delivery/stored-facts.ts";
import { isoOrNull } from "../domain/instant.ts";
import type { OldPost } from "../store/posts/archive.ts";
import type { CommentRow } from "../store/posts/comments.ts";
import type { MeasuredDelivery, PostWithDeliveries } from "../store/posts/posts.ts";
import { commentView } from "../views/comment.ts";
import { deliveryView, postView } from "../views/post.ts";

/** The files of a finished post are not waiting to be sent, so they need no addresses. */
const NO_ADDRESSES = { bucket: null };

/** The same post always produces the same line. */
export function archiveLine({ post, deliveries, comments }: OldPost): string {
  return JSON.stringify({
    ...postView(NO_ADDRESSES, { post, deliveries }),
    workspace: post.workspaceId,
    author: post.author,
    idempotency_key: post.idempotencyKey,
    cancelled_at: isoOrNull(post.cancelledAt),
    finished_at: isoOrNull(post.finishedAt),
    deliveries: deliveries.map((row) => archivedDelivery(row, post)),
    comments: comments.map(archivedComment),
  });
}

function archivedDelivery(row: MeasuredDelivery, post: PostWithDeliveries["post"]) {
  const view = deliveryView(row, post);
  return {
    ...view,
    detail: getReason(getLastTry(row), row.followUps).detail,
    network_id: row.networkPost?.id ?? null,
    parts:
      view.parts?.map((threadPartView) => ({
        ...threadPartView,
        network_id: row.threadParts[threadPartView.position]?.id ?? null,
      })) ?? null,
  };
}

/** A comment as its list shows it, and who wrote it. */
const archivedComment = (row: CommentRow) => ({ ...commentView(row), author: row.author });
