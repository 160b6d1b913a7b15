import type { renameWorkspace as contract } from "../../contract/workspaces.ts";
import { rename } from "../../store/accounts/workspaces.ts";
import { memberIn } from "../caller.ts";
import type { Run } from "../run.ts";
import { currentWorkspace } from "./current.ts";

export const renameWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  if (body.name !== undefined) await rename(ctx.accounts, memberIn(caller).workspaceId, body.name);
  return currentWorkspace(ctx, caller, { params: undefined, query: undefined, body: undefined, idempotencyKey: null });
};
