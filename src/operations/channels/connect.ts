import type { Context } from "../../context.ts";
import type { connectChannel as contract } from "../../contract/channels.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import { HostBusy } from "../../domain/host-busy.ts";
import type { Json, JsonObject } from "../../domain/json.ts";
import { refuse } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { Account } from "../../networks/network.ts";
import { REQUEST_ONLY } from "../../networks/request-only.ts";
import { inWorkspace } from "../caller.ts";
import { findNames, idOfCaller } from "../name-of.ts";
import { publishable } from "../platforms/publishes.ts";
import { refuseWait } from "../rate-limit.ts";
import { describe, pointer, READING } from "../refuse-issues.ts";
import { buildRights } from "../rights.ts";
import { created, ok, type Run } from "../run.ts";
import { limitedIO } from "./limited-io.ts";
import { copyPicture, storeAccount } from "./store-account.ts";
import { channelView } from "./view.ts";

/** Checks the credentials with the network, then stores them sealed; nothing is stored when the network refuses them. */
export const connectChannel: Run<typeof contract> = async (ctx, caller, { body }) => {
  const workspaceCaller = inWorkspace(caller);
  const { workspaceId } = workspaceCaller;
  const { platform, handle, credentials } = body;
  refuseUnconnectable(platform);
  const expiresAt = body.token_expires_at === undefined ? null : Date.parse(body.token_expires_at);
  const account = credentials === undefined ? null : await askNetwork(ctx, workspaceId, platform, credentials);
  const rights = buildRights(workspaceCaller, "manage_channels");
  const request = {
    platform,
    handle,
    account,
    expiresAt,
    by: idOfCaller(workspaceCaller),
    rights,
    caller: workspaceCaller,
  };
  const stored = await storeAccount(ctx, workspaceId, request);
  const row = account === null ? stored.row : await copyPicture(ctx, stored.row);
  const view = channelView(ctx, row, await findNames(ctx, workspaceId, [row.connectedBy]));
  return stored.isNew ? created(view) : ok(view);
};

/** Throws `connector_request_only` or `unknown_platform`. */
export function refuseUnconnectable(platform: string): void {
  if (REQUEST_ONLY.includes(platform)) {
    throw refuse("connector_request_only", { field: "/platform", message: `${platform} is not supported yet.` });
  }
  if (findNetwork(platform) === undefined) throw refuse("unknown_platform", { field: "/platform" });
}

/** Checks credentials with the network. Throws `credentials_invalid` or `network_unavailable`. */
export async function askNetwork(
  ctx: Context,
  workspaceId: string,
  platform: string,
  credentials: JsonObject,
): Promise<Account<Json>> {
  const network = publishable(ctx, platform);
  const parsed = network.connectInput.safeParse(credentials, READING);
  const [wrong] = parsed.error?.issues.flatMap(describe) ?? [];
  if (wrong !== undefined) {
    const { path, message, hint = "`GET /v1/platforms` shows what the platform takes." } = wrong;
    throw refuse("credentials_invalid", { field: `/credentials${pointer(path)}`, message, hint });
  }
  try {
    const answer = await network.connect(credentials, limitedIO(ctx, workspaceId, platform));
    if (answer.is === "connected") return answer;
    if (answer.is === "credentials_refused") {
      const { field, message, hint, networkMessage } = answer;
      throw refuse("credentials_invalid", { field: `/credentials${field}`, message, hint, networkMessage });
    }
    throw refuse("network_unavailable", {
      message:
        answer.detail === undefined ? `${platform} did not answer.` : `${platform} did not answer: ${answer.detail}.`,
      networkMessage: answer.networkMessage,
      headers: { "Retry-After": "30" },
    });
  } catch (error) {
    if (error instanceof BlockedAddress) throw refuse(error.refusal, { field: "/credentials" });
    if (error instanceof HostBusy) refuseWait(error.waitS);
    throw error;
  }
}
