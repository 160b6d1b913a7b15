// The credential of a channel that publishes nothing for a while: renewed under the channel's lease, so that no grant ends
// unused and only one hand ever renews it.
import type { Context } from "../context.ts";
import { MINUTE_MS } from "../domain/limits.ts";
import { networkOf } from "../networks/index.ts";
import { putOffRenewal } from "../store/channels.ts";
import { underLease } from "./channel-lease.ts";
import { openCredential, renew } from "./credential.ts";

const AGAIN_MS = 30 * MINUTE_MS;

export async function renewChannel(ctx: Context, workspaceId: string, channelId: string): Promise<void> {
  await underLease(ctx, { workspaceId, channelId, renewalDue: true }, async (channel, holder) => {
    try {
      const network = networkOf(channel.platform);
      const held = network && (await openCredential(ctx, channel));
      if (network && held?.is === "held") await renew(ctx, network, channel, holder, held);
    } finally {
      // What was renewed or lost has its own time by now; this is for all the rest.
      await putOffRenewal(ctx.databaseOf(workspaceId), workspaceId, channelId, AGAIN_MS);
    }
  });
}
