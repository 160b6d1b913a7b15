import type { revealKey as contract } from "../../contract/workspaces.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { refuse } from "../../domain/refusal.ts";
import { currentKey, noteKeySeen } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { ownerIn, refuseRole } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";

/** Shows the key to an owner and records that they saw it. */
export const revealKey: Run<typeof contract> = async (ctx, caller) => {
  const owner = ownerIn(caller);
  const { userId, workspaceId } = owner;
  await limitTries(ctx, { account: ["reveal_user", userId] });
  const row = await currentKey(ctx.accounts, workspaceId);
  if (row === undefined || row.sealed === null) throw refuse("not_found");
  const place = { purpose: "workspace-key", workspace: workspaceId, row: row.id } as const;
  const key = await ctx.seal?.unseal(row.sealed, place);
  if (key === undefined || key === null) throw refuse("key_not_configured");
  await requireFactor(ctx, owner);
  const entry = makeEntry(ctx, owner, "key.revealed", { target: { id: row.id, name: null } });
  if (!(await noteKeySeen(ctx.accounts, entry, userId, row.id))) throw refuseRole("manage_key");
  return ok({ key, created_at: isoInstant(row.createdAt), last_used_at: isoOrNull(row.lastUsedAt) });
};
