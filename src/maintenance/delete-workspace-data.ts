// What an erased workspace leaves outside the database: its files and its publishers. Clearing twice is clearing once.
import type { Context } from "../context.ts";
import { lanesToClear, markCleared } from "../store/accounts/accounts.ts";

export async function deleteWorkspaceData(ctx: Context, workspaceId: string): Promise<void> {
  await ctx.bucket?.clear(`m/${workspaceId}/`);
  await ctx.publishers.clear(workspaceId, await lanesToClear(ctx.accounts, workspaceId));
  await markCleared(ctx.accounts, workspaceId);
}
