import type { Context, Reviewer } from "../../context.ts";
import type { approvePost as contract } from "../../contract/approvals.ts";
import { monthEnd } from "../../domain/instant.ts";
import { refuse, refuseNotFound } from "../../domain/refusal.ts";
import { ask, joinStatements } from "../../store/db/batch.ts";
import { editPost } from "../../store/posts/edits.ts";
import { type PostWithDeliveries, readPost } from "../../store/posts/posts.ts";
import { postView } from "../../views/post.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { getCallerName, idOfCaller } from "../name-of.ts";
import { planLimit } from "../plan-limit.ts";
import { within } from "../reach.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { arm } from "./arm.ts";
import { budgetFull } from "./budget.ts";
import { refuseChanged, refuseOtherContent } from "./changed.ts";
import { postsAllowed } from "./check.ts";
import { refuseOwnChange } from "./four-eyes.ts";
import { announce } from "./queue.ts";
import { buildEdit, type Found, readToEdit } from "./update.ts";

export const approvePost: ReadThenRun<typeof contract, Found> = {
  read: (ctx, db, workspaceId, { params, body }) =>
    readToEdit(ctx, db, workspaceId, params.id, body.publish_at == null ? {} : { publish_at: body.publish_at }),
  async run(ctx, caller, { params, body }, postAndMaterial) {
    const deciderName = await getCallerName(ctx, caller);
    const { rev, content_tag: contentTag, publish_at: publishAt } = body;
    const deciders = [idOfCaller(caller)];
    return ok(
      await approve(
        ctx,
        caller,
        { id: params.id, rev, contentTag, by: deciderName, deciders, publishAt },
        postAndMaterial,
      ),
    );
  },
};

/** An approval. `publishAt`: a new time; null: now; undefined: the post's own time. */
interface Decision {
  id: string;
  rev: number;
  /** undefined: any content of that revision. */
  contentTag: string | undefined;
  by: string;
  /**
   * Ids of the users and keys who take responsibility: none of them may have changed the post last (-> four-eyes.ts).
   */
  deciders: readonly string[];
  publishAt?: string | null;
}

/**
 * Schedules a post that waits at `rev`, exactly as it is. An edit, a cancellation or another decision that commits
 * first changes the status or revision, and this approval then fails; the reverse holds too. The database decides.
 */
export async function approve(
  ctx: Context,
  caller: WorkspaceCaller | Reviewer,
  decision: Decision,
  [read, material]: Found,
) {
  const { id, rev, contentTag, by, deciders, publishAt } = decision;
  const { workspaceId } = caller;
  const db = ctx.databaseOf(workspaceId);
  const before = refuseUndecidable(ctx, within(caller, read), rev, contentTag);
  await refuseOwnChange(ctx, material.workspace, before.post, deciders);
  const { edit, checked } = await buildEdit(ctx, caller, before, material, {
    patch: publishAt === undefined ? {} : { publish_at: publishAt },
    status: "scheduled",
    approval: { state: "approved", by, reason: null, at: material.now, rev },
  });
  const toWrite = databaseToWrite(ctx, caller);
  const [{ edited, notify }, after] = await ask(
    toWrite,
    joinStatements(editPost(db, edit), readPost(db, workspaceId, id)),
  );
  if (edited && after !== undefined) {
    ctx.later(arm(ctx, workspaceId, after.post.dueAt, checked));
    announce(ctx, workspaceId, notify);
    return postView(ctx, after, await checked.warningsAt(after.post.publishAt ?? checked.now, id));
  }
  refuseUndecidable(ctx, within(caller, after), rev, contentTag);
  const allowed = postsAllowed(checked);
  if (allowed !== null && checked.postsUsed >= allowed) {
    throw planLimit("posts_per_month", checked.workspace.plan, checked.postsUsed, monthEnd(checked.month));
  }
  throw budgetFull(checked, edit.spend, before.post) ?? refuse("edit_conflict");
}

/** Returns the post if it waits at this revision with this content (undefined: any). */
export function refuseUndecidable(
  ctx: Context,
  storedPost: PostWithDeliveries | undefined,
  rev?: number,
  contentTag?: string,
): PostWithDeliveries {
  if (storedPost === undefined) throw refuseNotFound("post");
  refuseChanged(ctx, storedPost, rev === undefined ? undefined : [rev], "/rev");
  refuseOtherContent(ctx, storedPost, contentTag);
  if (storedPost.post.status !== "awaiting_approval") {
    throw refuse("post_not_waiting", { message: `The post is ${storedPost.post.status}.` });
  }
  return storedPost;
}
