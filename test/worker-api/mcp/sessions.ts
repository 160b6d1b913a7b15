// Messages and calls for sessions of a workspace key, and the object that keeps such a session.
import { testEnv } from "../../support/env.ts";
import { type Account, call } from "../../support/world.ts";

export const PING = { jsonrpc: "2.0", id: 2, method: "ping" };
export const LIST_TOOLS = { jsonrpc: "2.0", id: 3, method: "tools/list", params: {} };
export const USAGE = { jsonrpc: "2.0", id: 4, method: "tools/call", params: { name: "get_usage", arguments: {} } };

/** Gets the connection of a workspace's current key. */
export async function getConnection(account: Account) {
  const row = await testEnv.DB.prepare("SELECT id FROM workspace_keys WHERE workspace_id = ? AND revoked_at IS NULL")
    .bind(account.workspace)
    .first<{ id: string }>();
  return testEnv.MCP.getByName(`key:${row?.id}`);
}

export const rotateKey = (account: Account) =>
  call<{ key: string }>("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session });
