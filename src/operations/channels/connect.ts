import { BlockedAddress } from "../../adapters/outbound.ts";
import type { Context } from "../../context.ts";
import type { connectChannel as contract } from "../../contract/channels.ts";
import { makeId } from "../../domain/ids.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { planOf } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import { networkOf, platformOf } from "../../networks/index.ts";
import type { Account } from "../../networks/network.ts";
import { REQUEST_ONLY } from "../../networks/request-only.ts";
import {
  type ChannelRow,
  type Connection,
  findChannelByHandle,
  insertChannel,
  reconnectChannel,
} from "../../store/channels.ts";
import { violatesUnique } from "../../store/db.ts";
import { getWorkspace } from "../../store/workspaces.ts";
import { inWorkspace } from "../caller.ts";
import { planLimit } from "../plan-limit.ts";
import { describe, pointer } from "../refuse-issues.ts";
import { created, ok, type Run } from "../run.ts";
import { channelView } from "./view.ts";

/** Checks the credentials with the network, then stores them sealed; nothing is stored when the network refuses them. */
export const connectChannel: Run<typeof contract> = async (ctx, caller, { body }) => {
  const { workspaceId } = inWorkspace(caller);
  refuseUnconnectable(body.platform);
  const db = ctx.databaseOf(workspaceId);
  const { platform, handle, credentials } = body;
  const expiresAt = body.token_expires_at === undefined ? null : Date.parse(body.token_expires_at);
  const account = credentials === undefined ? null : await askNetwork(ctx, platform, credentials);

  const existing = await findChannelByHandle(db, workspaceId, platform, handle);
  if (existing !== undefined) return replace(existing);

  const id = makeId("ch", ctx.now(), ctx.entropy);
  const workspace = await getWorkspace(ctx.accounts, workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  const { channels: channelsMax } = planOf(workspace.plan);
  try {
    const connection = await toStore(ctx, workspaceId, id, account, expiresAt);
    const row = await insertChannel(db, { workspaceId, id, platform, handle, ...connection }, channelsMax);
    if (row === undefined) throw planLimit("channels", workspace.plan, channelsMax ?? 0);
    return created(channelView(row, ctx.now()));
  } catch (error) {
    const twin = violatesUnique(error, "channels.workspace_id")
      ? await findChannelByHandle(db, workspaceId, platform, handle)
      : undefined;
    if (twin === undefined) throw error;
    return replace(twin);
  }

  async function replace(row: ChannelRow) {
    if (account === null && row.removedAt === null) return ok(channelView(row, ctx.now()));
    if (account !== null && row.accountId !== null && row.accountId !== account.accountId) {
      throw refuse("credentials_invalid", {
        field: "/credentials",
        message: `${handle} is connected to another account of ${platform} than these credentials belong to.`,
        hint: "Name the channel differently, so that nothing queued for one account goes out on the other.",
      });
    }
    const connection = await toStore(ctx, workspaceId, row.id, account, expiresAt);
    const replaced = await reconnectChannel(db, workspaceId, row.id, connection);
    if (replaced === undefined) throw refuse("not_found");
    return ok(channelView(replaced, ctx.now()));
  }
};

function refuseUnconnectable(platform: string): void {
  if (REQUEST_ONLY.includes(platform)) {
    throw refuse("connector_request_only", { field: "/platform", message: `${platform} cannot be connected yet.` });
  }
  if (platformOf(platform) === undefined) throw refuse("unknown_platform", { field: "/platform" });
}

async function askNetwork(ctx: Context, platform: string, credentials: JsonObject): Promise<Account<Json>> {
  const network = networkOf(platform);
  if (network === undefined) throw refuse("network_not_configured", { field: "/platform" });
  const parsed = network.connectInput.safeParse(credentials, { reportInput: true });
  const [wrong] = parsed.error?.issues.flatMap(describe) ?? [];
  if (wrong !== undefined) {
    const { path, message } = wrong;
    const field = `/credentials${pointer(path)}`;
    throw refuse("credentials_invalid", { field, message, hint: "`GET /v1/platforms` shows what the platform takes." });
  }
  try {
    const answer = await network.connect(credentials, ctx.wire(platform));
    if (answer.is === "connected") return answer;
    if (answer.is === "credentials_refused") {
      const { field, message, hint } = answer;
      throw refuse("credentials_invalid", { field: `/credentials${field}`, message, hint });
    }
    throw refuse("network_unavailable", {
      message: `${platform} did not answer: ${answer.detail}.`,
      headers: { "Retry-After": "30" },
    });
  } catch (error) {
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/credentials" });
    throw error;
  }
}

async function toStore(
  ctx: Context,
  workspace: string,
  row: string,
  account: Account<Json> | null,
  expiresAt: number | null,
): Promise<Connection> {
  if (account === null) {
    return { accountId: null, name: null, avatarUrl: null, profileUrl: null, credential: null, tokenExpiresAt: null };
  }
  if (ctx.seal === null) throw refuse("key_not_configured");
  const { accountId, name, avatarUrl, profileUrl, credential } = account;
  const sealed = await ctx.seal.close(JSON.stringify(credential), { purpose: "channel-credential", workspace, row });
  return {
    accountId,
    name,
    avatarUrl,
    profileUrl,
    credential: sealed,
    tokenExpiresAt: account.tokenExpiresAt ?? expiresAt,
  };
}
