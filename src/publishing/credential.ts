// The credential of a channel while one hand works it: opened, renewed ahead of need, given up when the network says so.
import type { Context } from "../context.ts";
import type { EventName } from "../domain/event.ts";
import { FAILURES, type FailureCode } from "../domain/failure.ts";
import { makeId } from "../domain/ids.ts";
import { isoInstant, isoOrNull } from "../domain/instant.ts";
import type { Json } from "../domain/json.ts";
import type { Busy, Refused } from "../domain/outcome.ts";
import { type Network, renewalOf, type Wire } from "../networks/network.ts";
import { type ChannelRow, loseCredential, storeCredential } from "../store/channels.ts";
import type { EventRow } from "../store/events.ts";

export interface HeldCredential {
  is: "held";
  credential: Json;
  sealed: string;
}

export async function openCredential(ctx: Context, channel: ChannelRow): Promise<HeldCredential | Busy> {
  const { credential: sealed } = channel;
  const opened = sealed === null ? null : await ctx.seal?.open(sealed, placeOf(channel));
  if (opened === null || opened === undefined || sealed === null) {
    return { is: "busy", error: "network_unavailable", detail: "the sealed credential cannot be opened" };
  }
  return { is: "held", credential: JSON.parse(opened), sealed };
}

/** Opens a channel's credential and renews it if that is due. */
export async function holdCredential(
  ctx: Context,
  network: Network,
  channel: ChannelRow,
  holder: string,
): Promise<HeldCredential | Refused | Busy> {
  const held = await openCredential(ctx, channel);
  if (held.is !== "held") return held;
  const refreshAt = network.refreshAt?.(held.credential) ?? null;
  return refreshAt !== null && refreshAt <= ctx.now() ? renew(ctx, network, channel, holder, held) : held;
}

/** Renews a credential and stores it before its first use. */
export async function renew(
  ctx: Context,
  network: Network,
  channel: ChannelRow,
  holder: string,
  held: HeldCredential,
): Promise<HeldCredential | Refused | Busy> {
  const revoked: Refused = { is: "refused", error: "token_revoked", detail: "the network refuses the credential" };
  const wire: Wire = ctx.wire(channel.platform);
  const renewed = network.refresh ? await network.refresh({ credential: held.credential, wire }) : revoked;
  if (renewed.is === "refused") {
    const { workspaceId, id } = channel;
    const event = disconnected(ctx, channel, renewed.error);
    await loseCredential(ctx.databaseOf(workspaceId), workspaceId, id, held.sealed, renewed.error, event);
    return renewed;
  }
  if (renewed.is === "busy" || ctx.seal === null) return renewed.is === "busy" ? renewed : revoked;
  const sealed = await ctx.seal.close(JSON.stringify(renewed.credential), placeOf(channel));
  const stored = await storeCredential(
    ctx.databaseOf(channel.workspaceId),
    { workspaceId: channel.workspaceId, id: channel.id, leaseHolder: holder, sealedBefore: held.sealed },
    { sealed, renewAt: renewalOf(network, renewed.credential, ctx.now()) },
  );
  if (!stored) return { is: "busy", error: "network_unavailable", detail: "the channel was connected anew meanwhile" };
  return { is: "held", credential: renewed.credential, sealed };
}

/** The event that tells of a lost credential. */
function disconnected(ctx: Context, channel: ChannelRow, error: FailureCode): EventRow {
  const createdAt = ctx.now();
  const id = makeId("evt", createdAt, ctx.entropy);
  const event = "channel.disconnected" satisfies EventName;
  const body = JSON.stringify({
    event,
    id,
    created_at: isoInstant(createdAt),
    workspace: channel.workspaceId,
    channel: channel.id,
    platform: channel.platform,
    handle: channel.handle,
    token_expires_at: isoOrNull(channel.tokenExpiresAt),
    error,
    action: FAILURES[error].action,
  });
  return { id, event, body, createdAt };
}

function placeOf(channel: ChannelRow) {
  return { purpose: "channel-credential", workspace: channel.workspaceId, row: channel.id } as const;
}
