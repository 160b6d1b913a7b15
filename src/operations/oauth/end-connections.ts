import type { Context } from "../../context.ts";

/** Grants have ended: their MCP connections are to be closed. No call of theirs is answered any more as it is; the sweeper does it otherwise. */
export function endConnections(ctx: Context): void {
  ctx.later(ctx.queue.send([{ kind: "end_connections" }]));
}
