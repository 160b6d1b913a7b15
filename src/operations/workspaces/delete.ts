import type { deleteWorkspace as contract } from "../../contract/own-workspaces.ts";
import { refuse } from "../../domain/refusal.ts";
import { findUser } from "../../store/accounts/accounts.ts";
import { deleteWorkspace as remove } from "../../store/accounts/delete-workspaces.ts";
import { othersIn } from "../../store/accounts/members.ts";
import { countUnfinished } from "../../store/deliveries/unfinished.ts";
import { endWorkspaces } from "../accounts/end-workspaces.ts";
import { ownerIn, refuseRole } from "../caller.ts";
import { noContent, type Run } from "../run.ts";
import { tellByMail } from "../tell-by-mail.ts";

/**
 * Deletes a workspace in one transaction. Its deliveries cannot be read afterwards, so every owner gets a mail that says
 * how many deliveries will not be sent, and how many were being sent at that moment.
 */
export const deleteWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId, workspaceId } = ownerIn(caller);
  const [members, me, unfinished] = await Promise.all([
    othersIn(ctx.accounts, workspaceId, userId),
    findUser(ctx.accounts, userId),
    countUnfinished(ctx.databaseOf(workspaceId), workspaceId),
  ]);
  const deleted = await remove(ctx.accounts, { workspaceId, name: body.name, by: userId });
  if (deleted.is === "other_name") {
    throw refuse("invalid_field", { field: "/name", message: "`/name` is not the name of this workspace." });
  }
  if (deleted.is !== "deleted") {
    throw deleted.is === "last_workspace" ? refuse("last_workspace") : refuseRole("manage_workspace");
  }
  await endWorkspaces(ctx, deleted);
  const actorName = me?.email ?? "An owner";
  tellByMail(
    ctx,
    [...(me === undefined ? [] : [me.email]), ...members],
    "A Crier workspace was deleted",
    `${actorName} has deleted the workspace ${workspaceId} and everything in it. Deliveries that will not be sent: ` +
      `${unfinished.unsent}. Deliveries that were being sent at that moment: ${unfinished.maybeSent}. Look for these on their networks.`,
  );
  return noContent;
};
