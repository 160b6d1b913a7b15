// The consent behind a link: at the network with this deployment's app, or at the server of the account, which its handle
// leads to.
import * as z from "zod";
import { sha256 } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { BlockedAddress } from "../../domain/blocked-address.ts";
import type { Retryable } from "../../domain/delivery/outcome.ts";
import { base64Url } from "../../domain/encoding.ts";
import { HostBusy } from "../../domain/host-busy.ts";
import type { Json } from "../../domain/json.ts";
import { findNetwork } from "../../networks/index.ts";
import type { Granted, GrantRefused, Network, OAuthClient } from "../../networks/network.ts";
import type { ConnectLink } from "../../store/channels/connect-links.ts";
import { refuseWait } from "../rate-limit.ts";
import { nameApp } from "./consent-way.ts";
import { limitedIO } from "./limited-io.ts";

/** The values that are kept, sealed, while a person is at the network. `pending`: what the network's connector keeps; null: nothing. */
export const Attempt = z.object({ verifier: z.string(), pending: z.json() });
export type Attempt = z.output<typeof Attempt>;

type Deployment = Pick<Context, "settings"> & { oauthClient: OAuthClient | null };

/** The consent of a network with this deployment's app; null: there is none, or no app for it. */
function findConsent(network: Network, settings: Context["settings"], via: string | null) {
  const consent = via === null ? network.consent : network.consentWays?.[via];
  const app = settings.appOf(nameApp(network.rule.platform, via));
  return consent === undefined || app === null ? null : { consent, app };
}

/**
 * Whether a person's consent connects accounts of a network on this deployment, in the way `via` (null: the usual one).
 * `handle`: whether the handle is needed first.
 */
export function findConsentWay(
  network: Network | undefined,
  { settings, oauthClient }: Deployment,
  via: string | null = null,
): { handle: boolean } | null {
  if (network?.consent !== undefined) return findConsent(network, settings, via) === null ? null : { handle: false };
  if (via !== null) return null;
  return network?.consentByHandle === undefined || oauthClient === null ? null : { handle: true };
}

type Started = { is: "started"; url: string; pending: Json } | GrantRefused | Retryable;
interface Start {
  /** Needed at networks whose consent way says so. */
  handle: string;
  redirectUri: string;
  state: string;
  verifier: string;
}

/** Starts a consent; null: this deployment cannot offer one. */
export async function startConsent(
  ctx: Context,
  { workspaceId, platform, via }: ConnectLink,
  { handle, redirectUri, state, verifier }: Start,
): Promise<Started | null> {
  const network = findNetwork(platform);
  if (network === undefined || findConsentWay(network, ctx, via) === null) return null;
  const { consentByHandle } = network;
  const challenge = base64Url(await sha256(verifier));
  const withApp = findConsent(network, ctx.settings, via);
  if (withApp !== null) {
    const { apiVersion } = ctx.networkIO(platform);
    const address = withApp.consent.address(withApp.app, { redirectUri, state, challenge, apiVersion });
    return { is: "started", url: ctx.addressOf(platform, address), pending: null };
  }
  if (consentByHandle === undefined) return null;
  const io = limitedIO(ctx, workspaceId, platform);
  return onNamedHosts(() => consentByHandle.start(handle, { redirectUri, state, challenge }, io));
}

/** Exchanges the code that came back; null: this deployment cannot offer the consent any more. */
export async function exchangeCode(
  ctx: Context,
  { workspaceId, platform, via }: ConnectLink,
  { verifier, pending }: Attempt,
  { code, redirectUri, issuer }: { code: string; redirectUri: string; issuer: string | null },
): Promise<Granted<Json> | GrantRefused | Retryable | null> {
  const network = findNetwork(platform);
  if (network === undefined || findConsentWay(network, ctx, via) === null) return null;
  const { consentByHandle } = network;
  const withApp = findConsent(network, ctx.settings, via);
  if (withApp !== null)
    return withApp.consent.exchange({ code, redirectUri, verifier }, withApp.app, ctx.networkIO(platform));
  if (consentByHandle === undefined) return null;
  const io = limitedIO(ctx, workspaceId, platform);
  return onNamedHosts(() => consentByHandle.exchange({ code, redirectUri, verifier, issuer, pending }, io));
}

/** Calls hosts that an identity names. They may be addresses that Crier does not call. */
async function onNamedHosts<Answer>(call: () => Promise<Answer>): Promise<Answer | GrantRefused> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof HostBusy) refuseWait(error.waitS);
    if (!(error instanceof BlockedAddress)) throw error;
    const message = "The account's server is at an address that Crier does not call.";
    return { is: "grant_refused", message, hint: "Only servers with a public address can be used." };
  }
}
