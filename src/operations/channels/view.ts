import type * as z from "zod";
import type { Context } from "../../context.ts";
import type { Channel } from "../../contract/channels.ts";
import { type ChannelFacts, channelState } from "../../domain/channel.ts";
import { isoInstant, isoOrNull } from "../../domain/instant.ts";
import { findNetwork } from "../../networks/index.ts";
import type { ChannelRow } from "../../store/channels/channels.ts";
import { findNames } from "../name-of.ts";

export function channelFacts(row: ChannelRow): ChannelFacts {
  return { hasCredential: row.credential !== null, tokenExpiresAt: row.tokenExpiresAt, lostReason: row.lostReason };
}

/** Channels of one workspace, with the names of the users and keys that connected them. */
export async function channelViews(ctx: Context, workspaceId: string, rows: ChannelRow[]) {
  const names = await findNames(
    ctx,
    workspaceId,
    rows.map(({ connectedBy }) => connectedBy),
  );
  return rows.map((row) => channelView(ctx, row, names));
}

/** The optional permissions that the account's owner did not grant, and the features that are lost without each. */
function missingPermissions({ platform, missingPermissions: missing }: ChannelRow) {
  const optional = findNetwork(platform)?.rule.permissions?.optional ?? {};
  return (missing ?? []).flatMap((permission) => {
    const lost = optional[permission];
    return lost === undefined ? [] : [{ permission, lost }];
  });
}

/** The name of the user or key that connected a channel, as it was then; null if the user or key no longer exists. */
function findConnector(
  { connectedBy, connectedByName }: ChannelRow,
  names: ReadonlyMap<string, string>,
): string | null {
  const nameNow = connectedBy === null ? undefined : names.get(connectedBy);
  return nameNow === undefined ? null : (connectedByName ?? nameNow);
}

/** The address of our copy of the account's picture. */
function avatarUrl({ bucket }: Context, { avatarKey, avatarType, avatarEtag }: ChannelRow): string | null {
  return avatarKey === null || avatarEtag === null
    ? null
    : (bucket?.publicUrl(avatarKey, avatarType, avatarEtag) ?? null);
}

/** `names` maps the ids of users and keys that connected channels to their names. */
export function channelView(
  ctx: Context,
  row: ChannelRow,
  names: ReadonlyMap<string, string>,
): z.input<typeof Channel> {
  const now = ctx.now();
  return {
    id: row.id,
    platform: row.platform,
    handle: row.handle,
    name: row.name,
    avatar_url: avatarUrl(ctx, row),
    profile_url: row.profileUrl,
    connected: row.credential !== null,
    state: channelState(channelFacts(row), now),
    token_expires_at: isoOrNull(row.tokenExpiresAt),
    waits_until: row.notBefore === null || row.notBefore <= now ? null : isoInstant(row.notBefore),
    missing_permissions: missingPermissions(row),
    tier: row.tier,
    connected_by: findConnector(row, names),
    created_at: isoInstant(row.createdAt),
  };
}
