import type { Caller, Context } from "../../context.ts";
import type { currentWorkspace as current, getWorkspace as read } from "../../contract/workspaces.ts";
import { refuse } from "../../domain/refusal.ts";
import { findMembership, getWorkspace } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";

/** The caller's workspace in its current state. */
async function answerWorkspace(ctx: Context, caller: Caller) {
  const workspaceCaller = inWorkspace(caller);
  if (workspaceCaller.kind === "session") {
    const membership = await findMembership(ctx.accounts, workspaceCaller.workspaceId, workspaceCaller.userId);
    if (membership === undefined) throw refuse("not_a_member");
    return ok(workspaceView(membership));
  }
  const workspace = await getWorkspace(ctx.accounts, workspaceCaller.workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  return ok(workspaceView(workspace));
}

export const currentWorkspace: Run<typeof current> = (ctx, caller) => answerWorkspace(ctx, caller);
export const readWorkspace: Run<typeof read> = (ctx, caller) => answerWorkspace(ctx, caller);
