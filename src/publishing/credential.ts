// The credential of a channel while one hand works it: opened, renewed ahead of need, given up when the network says so.
import type { Context } from "../context.ts";
import { channelState } from "../domain/channel.ts";
import type { FailureCode } from "../domain/failure.ts";
import type { Json } from "../domain/json.ts";
import type { Busy, Refused } from "../domain/outcome.ts";
import { type Network, renewalOf, type Wire } from "../networks/network.ts";
import { type ChannelRow, loseCredential, storeCredential } from "../store/channels.ts";
import { channelEvent } from "./channel-event.ts";
import { underLease } from "./channel-lease.ts";

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
    const event = channelEvent(ctx, channel, "channel.disconnected", renewed.error);
    const toHear = await loseCredential(
      ctx.databaseOf(workspaceId),
      workspaceId,
      id,
      held.sealed,
      renewed.error,
      event,
    );
    if (toHear.length > 0) await ctx.webhooks.wake(workspaceId, toHear);
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

/** Why nothing can be published through a channel at `at` (epoch milliseconds); null when something can. */
export function failureOf(channel: ChannelRow, at: number): FailureCode | null {
  if (channel.removedAt !== null) return "channel_disconnected";
  const { credential, tokenExpiresAt, lostReason } = channel;
  switch (channelState({ hasCredential: credential !== null, tokenExpiresAt, lostReason }, at)) {
    case "connected":
      return null;
    case "needs_reconnect":
      return "token_expired";
    default:
      return lostReason ?? "channel_disconnected";
  }
}

/**
 * The credential of a channel for something else than publishing, renewed if that is due: by one hand alone, as when
 * something is published. `busy`: not now; `refused`: the network has ended it, and the channel is disconnected.
 */
export async function borrowCredential(
  ctx: Context,
  network: Network,
  channel: ChannelRow,
): Promise<HeldCredential | Refused | Busy> {
  const held = await openCredential(ctx, channel);
  if (held.is !== "held") return held;
  const refreshAt = network.refreshAt?.(held.credential) ?? null;
  if (refreshAt === null || refreshAt > ctx.now()) return held;
  const { workspaceId, id: channelId } = channel;
  const renewed = await underLease(ctx, { workspaceId, channelId, renewalDue: false }, (row, holder) =>
    holdCredential(ctx, network, row, holder),
  );
  return renewed ?? { is: "busy", error: "network_unavailable", detail: "another hand works with the channel" };
}

function placeOf(channel: ChannelRow) {
  return { purpose: "channel-credential", workspace: channel.workspaceId, row: channel.id } as const;
}
