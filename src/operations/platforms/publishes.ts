import type { Context } from "../../context.ts";
import { refuse } from "../../domain/refusal.ts";
import { findNetwork } from "../../networks/index.ts";
import type { Network } from "../../networks/network.ts";
import { nameApp } from "../channels/consent-way.ts";

/** How this deployment publishes to a platform. An OAuth network needs the deployment's app credentials. */
export function publishes(ctx: Context, platform: string): "live" | "sandbox" | "not_configured" {
  const network = findNetwork(platform);
  const ways = network?.rule.connect_ways?.map(({ via }) => via) ?? [null];
  const isConfigured =
    network !== undefined &&
    (network.rule.auth !== "oauth" || ways.some((via) => ctx.settings.appOf(nameApp(platform, via)) !== null));
  return isConfigured ? ctx.settings.provider : "not_configured";
}

/** The network of a platform that this deployment publishes to. Throws `network_not_configured`. */
export function publishable(ctx: Context, platform: string): Network {
  const network = findNetwork(platform);
  if (network !== undefined && publishes(ctx, platform) !== "not_configured") return network;
  const name = platform.toUpperCase();
  throw refuse("network_not_configured", {
    field: "/platform",
    hint: `The operator sets \`${name}_CLIENT_ID\` and \`${name}_CLIENT_SECRET\`.`,
  });
}
