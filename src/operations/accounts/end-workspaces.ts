import { errorText, log } from "../../adapters/log.ts";
import type { Context } from "../../context.ts";
import { getConnectionName } from "../../domain/ids.ts";
import type { Deleted } from "../../store/accounts/delete-workspaces.ts";
import { eraseHome } from "../../store/accounts/homes.ts";
import { ANSWER_MAX_MS, inTime } from "../../store/db/in-time.ts";
import { endConnections } from "../oauth/end-connections.ts";

/**
 * Finishes the deletion of workspaces whose rows in the accounts database are gone. Closes their MCP connections. The cleanup
 * of files, publishers and rows in another database was recorded when the rows were deleted: a queued job performs it, and
 * the sweeper retries it. Rows in another database are also deleted right here, so that nothing more is sent.
 */
export async function endWorkspaces(ctx: Context, { workspaces, keyIds }: Deleted): Promise<void> {
  ctx.later(ctx.mcp.end(keyIds.map((keyId) => getConnectionName({ keyId }))));
  endConnections(ctx);
  ctx.later(ctx.queue.send(workspaces.map(({ id }) => ({ kind: "clear_workspace", workspace: id }))));
  await Promise.all(workspaces.map((workspace) => eraseElsewhere(ctx, workspace)));
}

async function eraseElsewhere(ctx: Context, { id, home }: Deleted["workspaces"][number]): Promise<void> {
  if (home === 0) return;
  try {
    await inTime(ctx.pause, ANSWER_MAX_MS, eraseHome(ctx.accounts, ctx.homes.at(home), id));
  } catch (error) {
    log("error", "home_not_erased", { workspace: id, error: errorText(error) });
  }
}
