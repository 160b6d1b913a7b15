// A call of a network beside publishing: the access token that it refuses is renewed, once, and the call made again.
import type { DeliveryTools } from "../delivery/deliver.ts";
import type { Rejected, Retryable, Unauthorized } from "../domain/delivery/outcome.ts";
import type { Json } from "../domain/json.ts";
import type { ConnectorContext, Network } from "../networks/network.ts";
import type { ChannelRow } from "../store/channels/channels.ts";

/** The answer, and the context with the credential that it was given for. */
export async function withFreshToken<Answer extends { is: string }>(
  { credentials }: DeliveryTools,
  network: Network,
  channel: ChannelRow,
  context: ConnectorContext<Json>,
  call: (context: ConnectorContext<Json>) => Promise<Answer | Unauthorized>,
): Promise<{ answer: Answer | Unauthorized | Rejected | Retryable; context: ConnectorContext<Json> }> {
  const answer = await call(context);
  if (answer.is !== "unauthorized") return { answer, context };
  const current = await credentials.unseal(channel);
  const renewed = current.is === "usable" ? await credentials.renew(network, channel, context.io, current) : current;
  if (renewed.is !== "usable") return { answer: renewed, context };
  const fresh = { ...context, credential: renewed.credential };
  return { answer: await call(fresh), context: fresh };
}
