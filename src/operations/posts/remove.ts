import type { removePost as contract } from "../../contract/posts.ts";
import { isFinished } from "../../domain/posts/post.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { cancelPost, discardDraft } from "../../store/posts/cancel.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { noContent, ok, type ReadThenRun } from "../run.ts";
import { postView } from "./view.ts";

/** Cancels what has not started, or discards a draft. The database decides every race with a delivery that starts. */
export const removePost: ReadThenRun<typeof contract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, { workspaceId }, { params }, before) {
    const db = ctx.databaseOf(workspaceId);
    if (before === undefined) throw refuseNotFound("post");
    if (before.post.status === "draft" && (await discardDraft(db, workspaceId, params.id))) return noContent;
    if (isFinished(before.post.status)) {
      throw refuse("post_finished", { message: `The post is ${before.post.status}.` });
    }
    const after = await cancelPost(db, workspaceId, params.id);
    if (after === undefined) throw refuseNotFound("post");
    return ok(postView(after));
  },
};
