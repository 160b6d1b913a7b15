// Renews the credential of a channel that publishes nothing for a while, so that no grant expires unused.
import type { DeliveryTools } from "../delivery/deliver.ts";
import { askedWait } from "../domain/delivery/outcome.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { findNetwork } from "../networks/index.ts";
import { readChannel } from "../store/channels/channels.ts";
import { putOffRenewal } from "../store/channels/credentials.ts";
import type { Lane } from "../store/deliveries/due.ts";

/** The wait after a failed renewal. */
const AGAIN_MS = 30 * MINUTE_MS;

export async function renewCredential(tools: DeliveryTools, { workspaceId }: Lane, channelId: string): Promise<void> {
  const { ctx, limiter, health, credentials } = tools;
  const db = ctx.databaseOf(workspaceId);
  const channel = await readChannel(db, workspaceId, channelId);
  const network = channel && findNetwork(channel.platform);
  if (channel === undefined || network === undefined || channel.renewAt === null || channel.renewAt > ctx.now()) return;
  const { platform } = channel;
  let againMs = AGAIN_MS;
  try {
    await limiter.use({ network: platform, hasFiles: false, isFollowUp: true }, async () => {
      const current = await credentials.unseal(channel);
      if (current.is !== "usable") return;
      const renewed = await credentials.renew(
        network,
        channel,
        health.watch(platform, ctx.networkIO(platform)),
        current,
      );
      againMs = Math.max(AGAIN_MS, (askedWait(renewed) ?? 0) - ctx.now());
    });
  } finally {
    // A credential that was renewed or lost already has a new due time. This postpones the renewal in all other cases.
    await putOffRenewal(db, workspaceId, channelId, againMs);
  }
}
