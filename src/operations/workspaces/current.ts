import type { currentWorkspace as contract } from "../../contract/workspaces.ts";
import { refuse } from "../../domain/refusal.ts";
import { findMembership, getWorkspace } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";

export const currentWorkspace: Run<typeof contract> = async (ctx, caller) => {
  const here = inWorkspace(caller);
  if (here.kind === "session") {
    const membership = await findMembership(ctx.accounts, here.workspaceId, here.userId);
    if (membership === undefined) throw refuse("not_a_member");
    return ok(workspaceView(membership));
  }
  const workspace = await getWorkspace(ctx.accounts, here.workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  return ok(workspaceView(workspace));
};
