import type { removePost as contract } from "../../contract/posts.ts";
import { isFinished } from "../../domain/post.ts";
import { refuse } from "../../domain/refusal.ts";
import { cancelPost, discardDraft, getPost } from "../../store/posts.ts";
import { inWorkspace } from "../caller.ts";
import { noContent, ok, type Run } from "../run.ts";
import { postView } from "./view.ts";

/** Cancels what has not started, or discards a draft. The database decides every race with a delivery that starts. */
export const removePost: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const db = ctx.databaseOf(workspaceId);
  const before = await getPost(db, workspaceId, params.id);
  if (before === undefined) throw refuse("not_found");
  if (before.post.status === "draft" && (await discardDraft(db, workspaceId, params.id))) return noContent;
  if (isFinished(before.post.status)) throw refuse("post_finished", { message: `The post is ${before.post.status}.` });
  await cancelPost(db, workspaceId, params.id);
  const after = await getPost(db, workspaceId, params.id);
  if (after === undefined) throw refuse("not_found");
  return ok(postView(after));
};
