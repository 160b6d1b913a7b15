import type { createWorkspace as contract } from "../../contract/own-workspaces.ts";
import { getPlan } from "../../domain/plan.ts";
import { ownedBy } from "../../store/accounts/accounts.ts";
import { insertAnotherWorkspace } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { makeOwnEntry } from "../audit-entry.ts";
import { personOrAccountKey } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { created, type Run } from "../run.ts";
import { newWorkspace } from "./new-workspace.ts";
import { unplaceWorkspace } from "./place.ts";
import { requireTimezone } from "./require-timezone.ts";

export const createWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const person = personOrAccountKey(caller);
  const { userId } = person;
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
    makeOwnEntry(ctx, person, "workspace.created", { name: body.name }),
  );
  if (!stored) {
    unplaceWorkspace(ctx, workspace);
    throw planLimit("workspaces", plan, Math.max(owned.held, getPlan(plan).workspaces ?? 0));
  }
  return created(workspaceView(person.kind === "session" ? { ...workspace, role: "owner", isOwned: true } : workspace));
};
