import type { revealKey as contract } from "../../contract/workspaces.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { ownerIn } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { unsealKey } from "./show-key.ts";

/** Shows the key to an owner and records that they saw it. */
export const revealKey: Run<typeof contract> = async (ctx, caller) => {
  const owner = ownerIn(caller);
  const { key, row } = await unsealKey(ctx, owner, owner.workspaceId);
  return ok({ key, created_at: isoInstant(row.createdAt), last_used_at: isoOrNull(row.lastUsedAt) });
};
