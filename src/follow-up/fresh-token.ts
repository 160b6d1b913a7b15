// Makes a call of a follow-up. If the network refuses the access token, the token is renewed once and the call is repeated.
import { errorText, log } from "../adapters/log.ts";
import type { DeliveryTools } from "../delivery/deliver.ts";
import type { Rejected, Retryable, Unauthorized } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network } from "../networks/network.ts";
import type { ChannelRow } from "../store/channels/channels.ts";

/**
 * Returns the answer, and the context with the credential that got it. If the renewal fails, the answer only says that the
 * token was refused. Only the call itself throws.
 */
export async function withFreshToken<Answer extends { is: string }>(
  { credentials }: DeliveryTools,
  network: Network,
  channel: ChannelRow,
  context: ConnectorContext<Json>,
  call: (context: ConnectorContext<Json>) => Promise<Answer | Unauthorized>,
): Promise<{ answer: Answer | Unauthorized | Rejected | Retryable; context: ConnectorContext<Json> }> {
  const renew = async () => {
    const current = await credentials.unseal(channel);
    return current.is === "usable" ? credentials.renew(network, channel, context.io, current) : current;
  };
  const answer = await call(context);
  if (answer.is !== "unauthorized") return { answer, context };
  const renewed = await renew().catch((error: unknown): Retryable => {
    log("error", "renewal_failed", { workspace: channel.workspaceId, channel: channel.id, error: errorText(error) });
    return { is: "retryable", error: "internal_error", detail: "renewing the credential failed on our side" };
  });
  if (renewed.is !== "usable") return { answer: renewed, context };
  const fresh = { ...context, credential: renewed.credential };
  return { answer: await call(fresh), context: fresh };
}
