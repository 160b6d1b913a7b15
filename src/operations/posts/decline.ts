import type { Context, Reviewer } from "../../context.ts";
import type { declinePost as contract } from "../../contract/approvals.ts";
import type { Approval } from "../../domain/posts/approval.ts";
import { ask } from "../../store/db/batch.ts";
import { declinePost as writeDeclined } from "../../store/posts/approvals.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import { makeEntry } from "../audit-entry.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { getCallerName, toActor } from "../name-of.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { refuseUndecidable } from "./approve.ts";
import { announce, buildApprovalEvent } from "./queue.ts";

export const declinePost: ReadThenRun<typeof contract, PostWithDeliveries | undefined> = {
  read: (_ctx, db, workspaceId, { params }) => readPost(db, workspaceId, params.id),
  async run(ctx, caller, { body }, storedPost) {
    const deciderName = await getCallerName(ctx, caller);
    return ok(
      await decline(
        ctx,
        caller,
        { rev: body.rev, contentTag: body.content_tag, by: deciderName, reason: body.reason },
        storedPost,
      ),
    );
  },
};

/** Turns a post that awaits approval back into a draft. Without `rev`, its current revision is declined. */
export async function decline(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  { rev, contentTag, by, reason }: { rev?: number; contentTag: string | undefined; by: string; reason: string },
  read: PostWithDeliveries | undefined,
) {
  const { workspaceId } = caller;
  const db = ctx.databaseOf(workspaceId);
  // The loop repeats only if a concurrent edit changed the post first.
  for (let storedPost = within(caller, read); ; ) {
    const { post } = refuseUndecidable(ctx, storedPost, rev, contentTag);
    const approval: Approval = { state: "declined", by, reason, at: ctx.now(), rev: post.revision };
    const { event } = buildApprovalEvent(ctx, post, "post.declined", approval, toActor(caller));
    const entry = makeEntry(ctx, caller, "post.declined", { target: { id: post.id, name: null } });
    const { declined, after, notify } = await ask(
      databaseToWrite(ctx, caller),
      writeDeclined(db, post, approval, { event, entry }),
    );
    storedPost = within(caller, after);
    if (!declined || storedPost === undefined) continue;
    announce(ctx, workspaceId, notify);
    return postView(ctx, storedPost);
  }
}
