import type { setTimezone as contract } from "../../contract/workspaces.ts";
import { changeSettings } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { inWorkspace } from "../caller.ts";
import { databaseToWrite } from "../rights.ts";
import type { Run } from "../run.ts";
import { currentWorkspace } from "./current.ts";
import { requireTimezone } from "./require-timezone.ts";
import { tellHomes } from "./tell-homes.ts";

export const setTimezone: Run<typeof contract> = async (ctx, caller, { body }) => {
  const timezone = requireTimezone(body.timezone);
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const entry = makeEntry(ctx, workspaceCaller, "workspace.changed", { details: { timezone } });
  await changeSettings(databaseToWrite(ctx, workspaceCaller, ctx.accounts), { timezone }, entry);
  await tellHomes(ctx, [ctx.homes.homeOf(workspaceId)]);
  return currentWorkspace(ctx, caller, { params: undefined, query: undefined, body: undefined, idempotencyKey: null });
};
