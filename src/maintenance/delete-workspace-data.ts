// Deletes the data of an erased workspace outside the accounts database: its files, its archive, its publishers, and its rows
// in another database. The deletion is idempotent. It runs once more after the last upload address has expired, because files
// can be uploaded until then.
import type { Context } from "../context.ts";
import { getArchivePrefix } from "../domain/archive.ts";
import { findClearance, markCleared } from "../store/accounts/delete-workspaces.ts";
import { eraseHome } from "../store/accounts/homes.ts";
import { ANSWER_MAX_MS, inTime } from "../store/db/in-time.ts";

export async function deleteWorkspaceData(ctx: Context, workspaceId: string): Promise<void> {
  const { accounts, homes, pause } = ctx;
  let clearance = await findClearance(accounts, workspaceId);
  if (clearance !== undefined && clearance.home !== 0) {
    await inTime(pause, ANSWER_MAX_MS, eraseHome(accounts, homes.at(clearance.home), workspaceId));
    clearance = await findClearance(accounts, workspaceId);
  }
  await ctx.bucket?.clear([`m/${workspaceId}/`, getArchivePrefix(workspaceId)]);
  await ctx.publishers.clear(workspaceId, clearance?.lanes ?? 1);
  if (clearance !== undefined) await markCleared(accounts, workspaceId, clearance);
}
