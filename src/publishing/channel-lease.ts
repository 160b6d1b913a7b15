// A channel's lease for something else than publishing: only who holds it renews its credential.
import type { Context } from "../context.ts";
import { base64Url } from "../domain/ids.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { type ChannelRow, leaseChannel } from "../store/channels.ts";
import { releaseChannel } from "../store/claims.ts";

const LEASE_MS = 2 * MINUTE_MS;

/**
 * Works with a channel while nobody else does; null when another hand has it. `renewalDue`: only if its renewal is due.
 * What fell due meanwhile is put onto the queue afterwards: the hand that came for it has gone away again.
 */
export async function underLease<Result>(
  ctx: Context,
  { workspaceId, channelId, renewalDue }: { workspaceId: string; channelId: string; renewalDue: boolean },
  work: (channel: ChannelRow, holder: string) => Promise<Result>,
): Promise<Result | null> {
  const db = ctx.databaseOf(workspaceId);
  const holder = base64Url(ctx.entropy(12));
  const channel = await leaseChannel(db, workspaceId, channelId, holder, { leaseMs: LEASE_MS, renewalDue });
  if (channel === undefined) return null;
  try {
    return await work(channel, holder);
  } finally {
    await releaseChannel(db, workspaceId, channelId, holder);
    await ctx.queue.send([{ kind: "channel", workspace: workspaceId, channel: channelId }]);
  }
}
