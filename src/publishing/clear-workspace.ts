// What an erased workspace leaves outside the database: its files and its clock. Clearing twice is clearing once.
import type { Context } from "../context.ts";
import { markCleared } from "../store/accounts.ts";

export async function clearWorkspace(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.bucket?.clear(`m/${workspaceId}/`);
  await ctx.clock.clear(workspaceId);
  await markCleared(ctx.accounts, workspaceId);
}
