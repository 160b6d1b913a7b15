// What an erased workspace leaves outside the database: its files and its clock. Clearing twice is clearing once.
import type { Context } from "../context.ts";
import { getWorkspace } from "../store/workspaces.ts";

/** Throws while the workspace still exists, so that the queue comes back: the erasure may not be committed yet. */
export async function clearWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  if ((await getWorkspace(ctx.accounts, workspaceId)) !== undefined) throw new Error("the workspace still exists");
  await ctx.bucket?.clear(`m/${workspaceId}/`);
  await ctx.clock.clear(workspaceId);
}
