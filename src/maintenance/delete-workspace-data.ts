// What an erased workspace leaves outside the database: its files, its archive and its publishers. Clearing twice is clearing once; it is
// done once more when no upload to an address of its own can arrive any more.
import type { Context } from "../context.ts";
import { archiveOf } from "../domain/archive.ts";
import { clearanceOf, markCleared } from "../store/accounts/delete-workspaces.ts";

export async function deleteWorkspaceData(ctx: Context, workspaceId: string): Promise<void> {
  const clearance = await clearanceOf(ctx.accounts, workspaceId);
  await ctx.bucket?.clear([`m/${workspaceId}/`, archiveOf(workspaceId)]);
  await ctx.publishers.clear(workspaceId, clearance?.lanes ?? 1);
  if (clearance !== undefined) await markCleared(ctx.accounts, workspaceId, clearance);
}
