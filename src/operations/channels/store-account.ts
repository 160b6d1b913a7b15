// An account that a network has confirmed becomes a channel, or gives one that exists a new credential.
import { sealName } from "../../adapters/seal.ts";
import type { Context } from "../../context.ts";
import { nextExpiryWarning } from "../../domain/channel.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { makeId } from "../../domain/ids.ts";
import type { Json } from "../../domain/json.ts";
import { planOf } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Account } from "../../networks/network.ts";
import { renewalOf } from "../../networks/renewal.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import {
  type ChannelRow,
  type Connection,
  findChannelByAccount,
  findChannelByHandle,
  insertChannel,
  reconnectChannel,
} from "../../store/channels/channels.ts";
import { planLimit } from "../plan-limit.ts";
import { publishable } from "../platforms/publishes.ts";

/** A confirmed account (null: a channel without credential), under the name that its channel shall have. */
export interface ToStore {
  platform: string;
  handle: string;
  account: Account<Json> | null;
  /** What the caller says of the token's end, where the network does not; epoch milliseconds. */
  expiresAt: number | null;
  /** The user or the key that connects it; null: a link from before that was kept. */
  by: string | null;
  /** Throws the refusal of whoever may not connect it any more. Called just before it is written. */
  confirm(): Promise<void>;
}
export interface Stored {
  row: ChannelRow;
  isNew: boolean;
}

/** Throws `plan_limit` when the plan has no room, `credentials_invalid` when the name belongs to another account. */
export async function storeAccount(ctx: Context, workspaceId: string, wanted: ToStore): Promise<Stored> {
  const db = ctx.databaseOf(workspaceId);
  const { platform, handle } = wanted;
  const existing = await findChannelByHandle(db, workspaceId, platform, handle);
  if (existing !== undefined) return replace(ctx, existing, wanted);

  const id = makeId("ch", ctx.now(), ctx.entropy);
  const { plan, channelsMax } = await planFor(ctx, workspaceId);
  const connection = await connectionOf(ctx, workspaceId, id, wanted);
  await wanted.confirm();
  try {
    const row = await insertChannel(db, { workspaceId, id, platform, handle, ...connection }, channelsMax);
    if (row === undefined) throw planLimit("channels", plan, channelsMax ?? 0);
    return { row, isNew: true };
  } catch (error) {
    const duplicate = violatesUnique(error, "channels.workspace_id")
      ? await findChannelByHandle(db, workspaceId, platform, handle)
      : undefined;
    if (duplicate === undefined) throw error;
    return replace(ctx, duplicate, wanted);
  }
}

/** As `storeAccount`, for an account whose handle may have changed since its channel was made: the channel stays. */
export async function storeKnownAccount(
  ctx: Context,
  workspaceId: string,
  platform: string,
  account: Account<Json>,
  by: string | null,
): Promise<Stored> {
  // The link that lets somebody connect it was taken from the database just now.
  const confirm = async () => {};
  const wanted: ToStore = { platform, handle: account.handle, account, expiresAt: null, by, confirm };
  const db = ctx.databaseOf(workspaceId);
  const existing = await findChannelByAccount(db, workspaceId, platform, account.accountId);
  return existing === undefined ? storeAccount(ctx, workspaceId, wanted) : replace(ctx, existing, wanted);
}

async function replace(ctx: Context, existing: ChannelRow, wanted: ToStore): Promise<Stored> {
  const { platform, account } = wanted;
  const { workspaceId, id, handle } = existing;
  if (account === null && existing.removedAt === null) return { row: existing, isNew: false };
  if (account !== null && existing.accountId !== null && existing.accountId !== account.accountId) {
    throw refuse("credentials_invalid", {
      field: "/credentials",
      message: `${handle} is connected to another account of ${platform} than these credentials belong to.`,
      hint: "Choose another handle, so that no queued post of one account is published on the other.",
    });
  }
  const { plan, channelsMax } = await planFor(ctx, workspaceId);
  const connection = await connectionOf(ctx, workspaceId, id, wanted);
  await wanted.confirm();
  const row = await reconnectChannel(ctx.databaseOf(workspaceId), workspaceId, id, connection, channelsMax);
  if (row !== undefined) return { row, isNew: false };
  // Without a limit there is always room: the row itself is gone.
  throw channelsMax === null ? refuse("not_found") : planLimit("channels", plan, channelsMax);
}

async function planFor(ctx: Context, workspaceId: string): Promise<{ plan: string; channelsMax: number | null }> {
  const workspace = await getWorkspace(ctx.accounts, workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  return { plan: workspace.plan, channelsMax: planOf(workspace.plan).channels };
}

async function connectionOf(
  ctx: Context,
  workspace: string,
  row: string,
  { platform, account, expiresAt, by: connectedBy }: ToStore,
): Promise<Connection> {
  if (account === null) {
    return {
      accountId: null,
      name: null,
      avatarUrl: null,
      profileUrl: null,
      credential: null,
      credentialId: "",
      tokenExpiresAt: null,
      warnAt: null,
      renewAt: null,
      connectedBy,
      missingPermissions: null,
    };
  }
  if (ctx.seal === null) throw refuse("key_not_configured");
  const { accountId, name, avatarUrl, profileUrl, credential, missingPermissions = null } = account;
  const sealed = await ctx.seal.seal(JSON.stringify(credential), { purpose: "channel-credential", workspace, row });
  const tokenExpiresAt = account.tokenExpiresAt ?? expiresAt;
  const renewAt = renewalOf(publishable(ctx, platform), credential, ctx.now());
  const warnAt = nextExpiryWarning(tokenExpiresAt, ctx.now());
  return {
    accountId,
    name,
    avatarUrl,
    profileUrl,
    credential: sealed,
    credentialId: sealName(sealed),
    tokenExpiresAt,
    renewAt,
    warnAt,
    connectedBy,
    missingPermissions,
  };
}
