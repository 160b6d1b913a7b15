import type { Context } from "../../context.ts";
import { getConnectionName } from "../../domain/ids.ts";

/**
 * Closes the MCP connections of grants that have ended. Their calls are already refused. If this fails, the sweeper
 * closes them.
 */
export function endConnections(ctx: Context): void {
  ctx.later(ctx.queue.send([{ kind: "end_connections" }]));
}

/** Closes the MCP connections of keys that have ended. */
export function endConnectionsOfKeys(ctx: Context, keyIds: string[]): void {
  if (keyIds.length > 0) ctx.later(ctx.mcp.end(keyIds.map((keyId) => getConnectionName({ keyId }))));
}
