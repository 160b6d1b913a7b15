import { log } from "../../adapters/log.ts";
import type { changeRole as contract } from "../../contract/members.ts";
import { allows } from "../../domain/roles.ts";
import { changeRole as change } from "../../store/accounts/members.ts";
import { makeEntry } from "../audit-entry.ts";
import { memberIn } from "../caller.ts";
import { endConnectionsOfKeys } from "../oauth/end-connections.ts";
import { databaseToWrite } from "../rights.ts";
import { ok, type Run } from "../run.ts";
import { tellHomes } from "../workspaces/tell-homes.ts";
import { KEY_SEEN, tellKeySeen } from "./key-seen.ts";
import { refuseUnchanged } from "./refuse-unchanged.ts";
import { memberView } from "./view.ts";

export const changeRole: Run<typeof contract> = async (ctx, caller, { params, body }) => {
  const acting = memberIn(caller);
  const { userId: actorId, workspaceId } = acting;
  const entry = makeEntry(ctx, acting, "member.role_changed", { details: { role: body.role } });
  const changed = await change(
    databaseToWrite(ctx, acting, ctx.accounts),
    { workspaceId, userId: params.user, by: actorId, entry },
    body.role,
  );
  if (changed.is !== "changed") throw refuseUnchanged(changed);
  await tellHomes(ctx);
  if (body.role !== "owner") endConnectionsOfKeys(ctx, changed.endedKeys);
  const member = memberView(changed.member);
  if (!changed.keySeen || allows(body.role, "manage_key")) return ok(member);
  if (params.user === actorId) await tellKeySeen(ctx, workspaceId);
  else log("warn", "removed_member_has_key", { workspace: workspaceId });
  return ok({ ...member, key_seen: true, hint: KEY_SEEN });
};
