import type { renameWorkspace as contract } from "../../contract/workspaces.ts";
import { setFacts } from "../../store/accounts/workspaces.ts";
import { memberIn } from "../caller.ts";
import type { Run } from "../run.ts";
import { currentWorkspace } from "./current.ts";
import { tellHomes } from "./tell-homes.ts";

export const renameWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { workspaceId } = memberIn(caller);
  await setFacts(ctx.accounts, workspaceId, body);
  if (body.approval !== undefined) await tellHomes(ctx, [ctx.homes.homeOf(workspaceId)]);
  return currentWorkspace(ctx, caller, { params: undefined, query: undefined, body: undefined, idempotencyKey: null });
};
