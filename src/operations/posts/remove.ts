import type { removePost as contract } from "../../contract/posts.ts";
import { formatMonth } from "../../domain/instant.ts";
import { getPlan, givenBackMax } from "../../domain/plan.ts";
import { isFinished } from "../../domain/posts/post.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { joinStatements } from "../../store/db/batch.ts";
import { cancelPost, discardDraft } from "../../store/posts/cancel.ts";
import { getPost, type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { readUsage, type Usage } from "../../store/usage.ts";
import { postView } from "../../views/post.ts";
import { refuseWithoutAbility } from "../caller.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, ok, type ReadThenRun } from "../run.ts";
import { refuseChanged } from "./changed.ts";
import { refuseUnlessWriter } from "./queue.ts";

/**
 * Cancels the unstarted deliveries of a post, or discards a draft. The database decides every race with a delivery that
 * starts.
 */
export const removePost: ReadThenRun<typeof contract, [PostWithDeliveries | undefined, Usage | undefined]> = {
  read: (ctx, db, workspaceId, { params }) =>
    joinStatements(readPost(db, workspaceId, params.id), readUsage(db, workspaceId, formatMonth(ctx.now()))),
  async run(ctx, caller, { params, revisions }, [read, use]) {
    const { workspaceId } = caller;
    const db = ctx.databaseOf(workspaceId);
    const before = within(caller, read);
    if (before === undefined) throw refuseNotFound("post");
    // Each further turn follows an edit that came first.
    for (let storedPost: PostWithDeliveries = before; ; ) {
      const isDraft = storedPost.post.status === "draft";
      const from = storedPost.post.status === "awaiting_approval" ? storedPost.post.status : "scheduled";
      if (from === "awaiting_approval") refuseUnlessWriter(caller);
      else refuseWithoutAbility(caller, isDraft ? "draft" : "publish");
      refuseChanged(ctx, storedPost, revisions);
      const revision = revisions === undefined ? null : storedPost.post.revision;
      if (isDraft) {
        if (await discardDraft(databaseToWrite(ctx, caller), workspaceId, params.id, revision)) return noContent;
        const now = within(caller, await getPost(db, workspaceId, params.id));
        if (now === undefined) throw refuseNotFound("post");
        storedPost = now;
        continue;
      }
      refuseFinished(storedPost.post);
      const after = await cancelPost(
        databaseToWrite(ctx, caller),
        workspaceId,
        params.id,
        givenBackMax(getPlan(use?.plan ?? "")),
        {
          from,
          revision,
        },
      );
      if (after === undefined) throw refuseNotFound("post");
      if (!after.isNew) refuseChanged(ctx, after, revisions);
      storedPost = after;
      if (after.post.status === "draft") continue;
      // The post was approved, or waits by now: the next turn checks whether the caller may cancel it in this status.
      if (!after.isNew && (after.post.status === "awaiting_approval") !== (from === "awaiting_approval")) {
        if (!isFinished(after.post.status)) continue;
      }
      // The post may have finished between the read and the write; then nothing of it was cancelled.
      if (after.post.cancelledAt === null) refuseFinished(after.post);
      // The cancellation is recorded anyway: a delivery that its network has not accepted is not sent again.
      else if (!after.isStopped) throw refuse("post_not_cancellable");
      return ok(postView(ctx, after));
    }
  },
};

function refuseFinished({ status }: PostWithDeliveries["post"]): void {
  if (isFinished(status)) throw refuse("post_finished", { message: `The post is ${status}.` });
}
