import type { getPost as contract } from "../../contract/posts.ts";
import { refuse } from "../../domain/refusal.ts";
import { getPost as read } from "../../store/posts.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { postView } from "./view.ts";

export const getPost: Run<typeof contract> = async (ctx, caller, { params }) => {
  const { workspaceId } = inWorkspace(caller);
  const found = await read(ctx.databaseOf(workspaceId), workspaceId, params.id);
  if (found === undefined) throw refuse("not_found");
  return ok(postView(found));
};
