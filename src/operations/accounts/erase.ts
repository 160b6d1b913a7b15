import type { erase as contract } from "../../contract/accounts.ts";
import { connectionOf } from "../../domain/ids.ts";
import { eraseUser } from "../../store/accounts/accounts.ts";
import { signedIn } from "../caller.ts";
import { endConnections } from "../oauth/end-connections.ts";
import { noContent, type Run } from "../run.ts";

/**
 * Rows go at once, in one transaction, which also notes what lies outside the database (files, clocks): the queue clears
 * that, and the sweeper sees to it that it does.
 */
export const erase: Run<typeof contract> = async (ctx, caller) => {
  const { userId } = signedIn(caller);
  const { workspaceIds, keyIds } = await eraseUser(ctx.accounts, userId);
  ctx.later(ctx.mcp.end(keyIds.map((keyId) => connectionOf({ keyId }))));
  endConnections(ctx);
  ctx.later(ctx.queue.send(workspaceIds.map((workspace) => ({ kind: "clear_workspace", workspace }))));
  return noContent;
};
