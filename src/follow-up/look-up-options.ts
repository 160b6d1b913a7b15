// Asks a network for the choices that an account has for an option. The publisher does this because only the publisher renews
// the credential.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import { reasonFor } from "../domain/delivery/outcome.ts";
import type { LookUpAnswer, LookUpRequest } from "../domain/option-lookup.ts";
import { findNetwork } from "../networks/index.ts";
import type { OptionsOutcome } from "../networks/network.ts";
import { readChannel } from "../store/channels/channels.ts";
import type { Lane } from "../store/deliveries/due.ts";
import { withFreshToken } from "./fresh-token.ts";

export async function lookUpOptions(
  tools: DeliveryTools,
  { workspaceId }: Lane,
  { channel: channelId, option, values }: LookUpRequest,
): Promise<LookUpAnswer> {
  const { ctx, limiter, health, credentials } = tools;
  const channel = await readChannel(ctx.databaseOf(workspaceId), workspaceId, channelId);
  const network = channel && findNetwork(channel.platform);
  const list = network?.lookUps?.[option]?.list;
  if (channel === undefined || network === undefined || list === undefined || channel.credential === null)
    return { is: "failed", error: "channel_disconnected", detail: "The channel is not connected." };
  const { platform } = channel;
  try {
    return await limiter.use({ network: platform, hasFiles: false, isFollowUp: true }, async () => {
      const io = health.watch(platform, ctx.networkIO(platform));
      const current = await credentials.ready(network, channel, io);
      if (current.is !== "usable") return failed(current);
      const context = { credential: current.credential, io };
      const { answer } = await withFreshToken<OptionsOutcome>(tools, network, channel, context, (freshContext) =>
        list(values, freshContext),
      );
      return answer.is === "options" ? { is: "listed", options: answer.options, fetchedAt: ctx.now() } : failed(answer);
    });
  } catch (error) {
    log("error", "look_up_failed", { workspace: workspaceId, channel: channelId, platform, error: errorText(error) });
    return { is: "failed", error: "internal_error", detail: "Asking the network failed on our side." };
  }
}

const failed = (answer: Exclude<OptionsOutcome, { is: "options" }>): LookUpAnswer => ({
  is: "failed",
  error: answer.is === "unauthorized" ? "token_revoked" : answer.error,
  ...reasonFor(answer),
});
