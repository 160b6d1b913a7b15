import type { Caller, Context } from "../../context.ts";
import type { createWorkspace as contract } from "../../contract/own-workspaces.ts";
import { getPlan } from "../../domain/plan.ts";
import { ownedBy, type WorkspaceRow } from "../../store/accounts/accounts.ts";
import { findByExternalId, insertAnotherWorkspace } from "../../store/accounts/workspaces.ts";
import { workspaceView } from "../accounts/views.ts";
import { makeOwnEntry } from "../audit-entry.ts";
import { personOrAccountKey } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { planLimit } from "../plan-limit.ts";
import { created, ok, type Run } from "../run.ts";
import { newWorkspace } from "./new-workspace.ts";
import { unplaceWorkspace } from "./place.ts";
import { requireTimezone } from "./require-timezone.ts";
import { noteKeyShown, refuseWithoutKeys, unsealKey } from "./show-key.ts";

/** A call with the external id of a workspace returns that workspace, so that it can be repeated after a lost answer. */
export const createWorkspace: Run<typeof contract> = async (ctx, caller, { body }) => {
  const person = personOrAccountKey(caller);
  const { userId } = person;
  const { name, external_id: externalId = null, metadata = null, include_key: includesKey = false } = body;
  const timezone = requireTimezone(body.timezone ?? "UTC");
  if (includesKey) refuseWithoutKeys(person);
  const existing = externalId === null ? undefined : await findByExternalId(ctx.accounts, userId, externalId);
  if (existing !== undefined) return ok(await showExisting(ctx, person, existing, includesKey));

  if (includesKey) await requireFactor(ctx, person);
  const owned = await ownedBy(ctx.accounts, userId);
  const plan = owned.plan ?? ctx.settings.defaultPlan;
  const externalOwner = externalId === null ? null : userId;
  const facts = { name, plan, timezone, externalId, externalOwner, metadata };
  const { workspace, key, secret } = await newWorkspace(ctx, facts);
  const stored = await insertAnotherWorkspace(
    ctx.accounts,
    workspace,
    userId,
    key,
    getPlan(plan).workspaces,
    makeOwnEntry(ctx, person, "workspace.created", {
      name,
      ...(externalId === null ? {} : { external_id: externalId }),
    }),
  );
  if (stored?.is !== "stored") unplaceWorkspace(ctx, workspace);
  if (stored === null) throw planLimit("workspaces", plan, Math.max(owned.held, getPlan(plan).workspaces ?? 0));
  // Another call with the same external id was first.
  if (stored.is === "exists") return ok(await showExisting(ctx, person, stored.workspace, includesKey));
  if (!includesKey) return created(view(person, workspace));
  await noteKeyShown(ctx, person, workspace.id, key.id);
  return created({ ...view(person, workspace), key: secret });
};

type Person = Extract<Caller, { kind: "session" | "account_key" }>;

async function showExisting(ctx: Context, person: Person, workspace: WorkspaceRow, includesKey: boolean) {
  if (!includesKey) return view(person, workspace);
  const { key } = await unsealKey(ctx, person, workspace.id);
  return { ...view(person, workspace), key };
}

const view = ({ kind }: Person, workspace: WorkspaceRow) =>
  workspaceView(kind === "session" ? { ...workspace, role: "owner", isOwned: true } : workspace);
