import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { makeId, makeWorkspaceKey } from "../../domain/ids.ts";
import { refuse } from "../../domain/refusal.ts";

/** Makes a workspace key: the key itself, and the row with its hash and its sealed copy. */
export async function newKey(ctx: Context, workspaceId: string) {
  if (ctx.seal === null) throw refuse("key_not_configured");
  const createdAt = ctx.now();
  const id = makeId("key", createdAt, ctx.entropy);
  const key = makeWorkspaceKey(ctx.entropy);
  const sealed = await ctx.seal.seal(key, { purpose: "workspace-key", workspace: workspaceId, row: id });
  return { key, row: { id, hash: await sha256Hex(key), sealed, createdAt } };
}
