import type { rotateKey as contract } from "../../contract/workspaces.ts";
import { getConnectionName } from "../../domain/ids.ts";
import { isoInstant } from "../../domain/instant.ts";
import { replaceKey } from "../../store/accounts/workspaces.ts";
import { makeEntry } from "../audit-entry.ts";
import { ownerIn, refuseRole } from "../caller.ts";
import { requireFactor } from "../factors/challenge.ts";
import { limitTries } from "../rate-limit.ts";
import { ok, type Run } from "../run.ts";
import { newKey } from "./new-key.ts";
import { tellHomes } from "./tell-homes.ts";

export const rotateKey: Run<typeof contract> = async (ctx, caller) => {
  const owner = ownerIn(caller);
  const { userId, workspaceId } = owner;
  await limitTries(ctx, { account: ["rotate_workspace", workspaceId] });
  await requireFactor(ctx, owner);
  const { key, row } = await newKey(ctx, workspaceId);
  const entry = makeEntry(ctx, owner, "key.rotated", { target: { id: row.id, name: null } });
  const ended = await replaceKey(ctx.accounts, entry, userId, row);
  if (ended === undefined) throw refuseRole("manage_key");
  await tellHomes(ctx);
  await ctx.mcp.end(ended.map((keyId) => getConnectionName({ keyId })));
  return ok({ key, created_at: isoInstant(row.createdAt) });
};
