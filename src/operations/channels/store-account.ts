// Stores an account that a network has confirmed: as a new channel, or as a new credential of an existing one.
import { copyAvatar } from "../../adapters/avatar.ts";
import { errorText, log } from "../../adapters/log.ts";
import { sealName } from "../../adapters/seal.ts";
import type { Context } from "../../context.ts";
import { nextExpiryWarning } from "../../domain/channel.ts";
import { violatesUnique } from "../../domain/database-fault.ts";
import { base64Url } from "../../domain/encoding.ts";
import { type ChannelOfEvent, channelEvent } from "../../domain/event-body.ts";
import { makeId } from "../../domain/ids.ts";
import type { Json } from "../../domain/json.ts";
import { avatarKey } from "../../domain/media/object-key.ts";
import { getPlan } from "../../domain/plan.ts";
import { refuse } from "../../domain/refusal.ts";
import type { Account } from "../../networks/network.ts";
import { computeRenewAt } from "../../networks/renewal.ts";
import type { WorkspaceRights } from "../../store/accounts/rights.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { replaceAvatar } from "../../store/channels/avatars.ts";
import {
  type ChannelRow,
  type Connection,
  findChannelByAccount,
  findChannelByHandle,
  insertChannel,
  reconnectChannel,
  type WrittenChannel,
} from "../../store/channels/channels.ts";
import { type Acting, type KnownActor, makeEntry } from "../audit-entry.ts";
import { findNames } from "../name-of.ts";
import { planLimit } from "../plan-limit.ts";
import { publishable } from "../platforms/publishes.ts";
import { guardedBy } from "../rights.ts";

/** A confirmed account (null: a channel without a credential), with the name for its channel. */
export interface ToStore {
  platform: string;
  handle: string;
  account: Account<Json> | null;
  /** The token's expiry as the caller states it, if the network does not report one; epoch milliseconds. */
  expiresAt: number | null;
  /** The user or key that connects it; null: the link predates this record. */
  by: string | null;
  /**
   * The rights of the user or key that connects it or made its link. The network may have taken its time, so the write
   * checks them again.
   */
  rights: WorkspaceRights;
  /** The connecting user or key as an audit log actor. */
  caller: Acting;
}
export interface Stored {
  row: ChannelRow;
  isNew: boolean;
}

/**
 * Stores an account, whose picture `copyPicture` copies afterwards. Throws `plan_limit` if the plan has no room, and
 * `credentials_invalid` if the name belongs to another account.
 */
export async function storeAccount(ctx: Context, workspaceId: string, request: ToStore): Promise<Stored> {
  const db = ctx.databaseOf(workspaceId);
  const { platform, handle } = request;
  const existing = await findChannelByHandle(db, workspaceId, platform, handle);
  if (existing !== undefined) return replace(ctx, existing, request);

  const id = makeId("ch", ctx.now(), ctx.entropy);
  const { plan, channelsMax } = await planFor(ctx, workspaceId);
  const connection = await buildConnection(ctx, workspaceId, id, request);
  try {
    const channel = { workspaceId, id, platform, handle, ...connection };
    const event = buildEvent(ctx, channel, "channel.connected");
    const entry = makeEntry(ctx, request.caller, "channel.connected", { target: toAuditTarget(id, request) });
    const written = await insertChannel(guardedBy(ctx, request.rights, db), channel, { channelsMax, event, entry });
    if (written === undefined) throw planLimit("channels", plan, channelsMax ?? 0);
    return announce(ctx, written, true);
  } catch (error) {
    const duplicate = violatesUnique(error, "channels.workspace_id")
      ? await findChannelByHandle(db, workspaceId, platform, handle)
      : undefined;
    if (duplicate === undefined) throw error;
    return replace(ctx, duplicate, request);
  }
}

/**
 * Like `storeAccount`, but for an account whose handle may have changed since its channel was created: the channel
 * stays.
 */
export async function storeKnownAccount(
  ctx: Context,
  workspaceId: string,
  platform: string,
  account: Account<Json>,
  { rights, maker }: { rights: WorkspaceRights; maker: KnownActor },
): Promise<Stored> {
  const { handle } = account;
  const by = maker.actor.id;
  const wanted: ToStore = { platform, handle, account, expiresAt: null, by, rights, caller: maker };
  const db = ctx.databaseOf(workspaceId);
  const existing = await findChannelByAccount(db, workspaceId, platform, account.accountId);
  return existing === undefined ? storeAccount(ctx, workspaceId, wanted) : replace(ctx, existing, wanted);
}

async function replace(ctx: Context, existing: ChannelRow, request: ToStore): Promise<Stored> {
  const { platform, account } = request;
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
  const connection = await buildConnection(ctx, workspaceId, id, request);
  const db = guardedBy(ctx, request.rights, ctx.databaseOf(workspaceId));
  const event = buildEvent(ctx, { workspaceId, id, platform, handle, ...connection }, "channel.reconnected");
  const entry = makeEntry(ctx, request.caller, "channel.reconnected", { target: toAuditTarget(id, existing) });
  const write = { channelsMax, event, entry };
  const row = await reconnectChannel(db, { workspaceId, id }, connection, write);
  if (row !== undefined) return announce(ctx, row, false);
  // Without a limit there is always room, so the workspace itself is gone.
  throw channelsMax === null ? refuse("not_found") : planLimit("channels", plan, channelsMax);
}

function buildEvent(ctx: Context, channel: ChannelOfEvent, event: "channel.connected" | "channel.reconnected") {
  return channelEvent({ now: ctx.now(), entropy: ctx.entropy }, channel, event, null);
}

/** Notifies endpoints and open connections of a channel that was written. */
function announce(ctx: Context, { row, notify }: WrittenChannel, isNew: boolean): Stored {
  ctx.later(ctx.mcp.announceChannels(row.workspaceId));
  if (notify.length > 0) ctx.later(ctx.webhooks.wake(row.workspaceId, notify));
  return { row, isNew };
}

/** Copies the picture of an account that was just connected. If that fails, the sweeper tries again. Returns the channel's row. */
export async function copyPicture(ctx: Context, row: ChannelRow): Promise<ChannelRow> {
  const { bucket } = ctx;
  const { workspaceId, platform, avatarUrl } = row;
  if (bucket === null || (avatarUrl === null && row.avatarKey === null)) return row;
  const key = avatarKey(row, base64Url(ctx.entropy(12)));
  const { fetchPublic } = ctx.networkIO(platform);
  const copy = (url: string) => copyAvatar(fetchPublic, ctx.addressOf(platform, url), { bucket, key });
  try {
    return (await replaceAvatar(ctx.databaseOf(workspaceId), row, key, copy)) ?? row;
  } catch (error) {
    log("warn", "avatar_failed", { workspace: workspaceId, error: errorText(error) });
    return row;
  }
}
/** A channel as an audit log target. */
const toAuditTarget = (id: string, { platform, handle }: { platform: string; handle: string }) => ({
  id,
  name: `${platform} ${handle}`,
});

async function planFor(ctx: Context, workspaceId: string): Promise<{ plan: string; channelsMax: number | null }> {
  const workspace = await getWorkspace(ctx.accounts, workspaceId);
  if (workspace === undefined) throw refuse("unauthorized");
  return { plan: workspace.plan, channelsMax: getPlan(workspace.plan).channels };
}

async function buildConnection(
  ctx: Context,
  workspace: string,
  row: string,
  { platform, account, expiresAt, by: connectedBy }: ToStore,
): Promise<Connection> {
  const names = await findNames(ctx, workspace, [connectedBy]);
  const connectedByName = (connectedBy === null ? undefined : names.get(connectedBy)) ?? null;
  if (account === null) {
    return {
      accountId: null,
      name: null,
      avatarUrl: null,
      avatarAt: null,
      profileUrl: null,
      credential: null,
      credentialId: "",
      tokenExpiresAt: null,
      warnAt: null,
      renewAt: null,
      connectedBy,
      connectedByName,
      missingPermissions: null,
      tier: null,
    };
  }
  if (ctx.seal === null) throw refuse("key_not_configured");
  const { accountId, name, avatarUrl, profileUrl, credential, missingPermissions = null, tier = null } = account;
  const sealed = await ctx.seal.seal(JSON.stringify(credential), { purpose: "channel-credential", workspace, row });
  const tokenExpiresAt = account.tokenExpiresAt ?? expiresAt;
  const renewAt = computeRenewAt(publishable(ctx, platform), credential, ctx.now());
  const warnAt = nextExpiryWarning(tokenExpiresAt, ctx.now());
  return {
    accountId,
    name,
    avatarUrl,
    avatarAt: avatarUrl === null ? null : ctx.now(),
    profileUrl,
    credential: sealed,
    credentialId: sealName(sealed),
    tokenExpiresAt,
    renewAt,
    warnAt,
    connectedBy,
    connectedByName,
    missingPermissions,
    tier,
  };
}
