// Closes the MCP connections of grants that have ended for any reason. Closing is idempotent.
import type { Context } from "../context.ts";
import { getConnectionName } from "../domain/ids.ts";
import { endedGrants, forgetEndings } from "../store/oauth/grants.ts";

const AT_ONCE = 100;

export async function endConnections(ctx: Context): Promise<void> {
  const grantIds = await endedGrants(ctx.accounts, AT_ONCE);
  if (grantIds.length === 0) return;
  await ctx.mcp.end(grantIds.map((grantId) => getConnectionName({ grantId })));
  await forgetEndings(ctx.accounts, grantIds);
}
