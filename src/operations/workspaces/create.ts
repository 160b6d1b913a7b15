import type { createWorkspace as contract } from "../../contract/workspaces.ts";
import { getPlan } from "../../domain/plan.ts";
import { ownedBy } from "../../store/accounts/accounts.ts";
import { insertAnotherWorkspace } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { makeAccountEntry } from "../audit-entry.ts";
import { signedIn } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { created, type Run } from "../run.ts";
import { newWorkspace } from "./new-workspace.ts";
import { unplaceWorkspace } from "./place.ts";
import { requireTimezone } from "./require-timezone.ts";

export const createWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { userId } = signedIn(caller);
  const timezone = requireTimezone(body.timezone ?? "UTC");
  const owned = await ownedBy(ctx.accounts, userId);
  const plan = owned.plan ?? ctx.settings.defaultPlan;
  const { workspace, key } = await newWorkspace(ctx, { name: body.name, plan, timezone });
  const stored = await insertAnotherWorkspace(
    ctx.accounts,
    workspace,
    userId,
    key,
    getPlan(plan).workspaces,
    makeAccountEntry(ctx, userId, "workspace.created", { name: body.name }),
  );
  if (!stored) {
    unplaceWorkspace(ctx, workspace);
    throw planLimit("workspaces", plan, Math.max(owned.held, getPlan(plan).workspaces ?? 0));
  }
  return created(workspaceView({ ...workspace, role: "owner", isOwned: true }));
};
