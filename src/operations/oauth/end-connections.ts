import type { Context } from "../../context.ts";
import { connectionOf } from "../../domain/ids.ts";

/** Grants have ended: their MCP connections are to be closed. No call of theirs is answered any more as it is; the sweeper does it otherwise. */
export function endConnections(ctx: Context): void {
  ctx.later(ctx.queue.send([{ kind: "end_connections" }]));
}

/** Keys have ended: their MCP connections are closed. */
export function endConnectionsOfKeys(ctx: Context, keyIds: string[]): void {
  if (keyIds.length > 0) ctx.later(ctx.mcp.end(keyIds.map((keyId) => connectionOf({ keyId }))));
}
