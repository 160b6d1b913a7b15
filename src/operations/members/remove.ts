import { log } from "../../adapters/log.ts";
import type { removeMember as contract } from "../../contract/members.ts";
import { removeMember as remove } from "../../store/accounts/members.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn, refuseWithoutAbility } from "../caller.ts";
import { endConnections, endConnectionsOfKeys } from "../oauth/end-connections.ts";
import { databaseToWrite } from "../rights.ts";
import { noContent, ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { KEY_SEEN, tellKeySeen } from "./key-seen.ts";
import { refuseUnchanged } from "./refuse-unchanged.ts";

/**
 * May be called by an owner or by the member. The workspace's key stays valid: revoking it would stop programs in the
 * middle of a post.
 */
export const removeMember: Run<typeof contract> = async (ctx, caller, { params }) => {
  const member = memberIn(caller);
  const { userId: actorId, workspaceId } = member;
  const leaves = params.user === actorId;
  if (!leaves) refuseWithoutAbility(caller, "manage_members");
  const removed = await remove(databaseToWrite(ctx, member, ctx.accounts), {
    workspaceId,
    userId: params.user,
    by: actorId,
    entry: makeEntry(ctx, member, "member.removed"),
  });
  if (removed.is !== "removed") throw refuseUnchanged(removed);
  await tellHomes(ctx);
  endConnections(ctx);
  endConnectionsOfKeys(ctx, removed.endedKeys);
  if (!removed.keySeen) return noContent;
  if (leaves) await tellKeySeen(ctx, workspaceId);
  else log("warn", "removed_member_has_key", { workspace: workspaceId });
  return leaves ? noContent : ok({ key_seen: true, hint: KEY_SEEN });
};
