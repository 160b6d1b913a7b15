// The credential of a channel that publishes nothing for a while: renewed under the channel's lease, so that no grant ends
// unused and only one hand ever renews it.
import type { Context } from "../context.ts";
import { base64Url } from "../domain/ids.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { networkOf } from "../networks/index.ts";
import { leaseToRenew, putOffRenewal } from "../store/channels.ts";
import { releaseChannel } from "../store/claims.ts";
import { openCredential, renew } from "./credential.ts";

const LEASE_MS = 2 * MINUTE_MS;
const AGAIN_MS = 30 * MINUTE_MS;

export async function renewChannel(ctx: Context, workspaceId: string, channelId: string): Promise<void> {
  const db = ctx.databaseOf(workspaceId);
  const holder = base64Url(ctx.entropy(12));
  const channel = await leaseToRenew(db, workspaceId, channelId, holder, LEASE_MS);
  if (channel === undefined) return;
  try {
    const network = networkOf(channel.platform);
    const held = network && (await openCredential(ctx, channel));
    if (network && held?.is === "held") await renew(ctx, network, channel, holder, held);
  } finally {
    // What was renewed or lost has its own time by now; this is for all the rest.
    await putOffRenewal(db, workspaceId, channelId, AGAIN_MS);
    await releaseChannel(db, workspaceId, channelId, holder);
  }
}
