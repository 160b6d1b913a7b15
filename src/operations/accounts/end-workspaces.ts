import type { Context } from "../../context.ts";
import { connectionOf } from "../../domain/ids.ts";
import type { Deleted } from "../../store/accounts/delete-workspaces.ts";
import { endConnections } from "../oauth/end-connections.ts";

/**
 * The rows of workspaces are gone, and what lies outside the database (files, clocks) was noted with that: the queue clears
 * it, and the sweeper sees to it that it does. MCP connections are closed.
 */
export function endWorkspaces(ctx: Context, { workspaceIds, keyIds }: Deleted): void {
  ctx.later(ctx.mcp.end(keyIds.map((keyId) => connectionOf({ keyId }))));
  endConnections(ctx);
  ctx.later(ctx.queue.send(workspaceIds.map((workspace) => ({ kind: "clear_workspace", workspace }))));
}
