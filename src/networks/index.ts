// The registry: one line adds a network.
import { bluesky } from "./bluesky/index.ts";
import type { Network } from "./network.ts";
import { telegram } from "./telegram/index.ts";

export const networks: readonly Network[] = [bluesky, telegram];

const byPlatform = new Map(networks.map((network) => [network.rule.platform, network]));

/** The network of a platform name; undefined when there is none. */
export function networkOf(platform: string): Network | undefined {
  return byPlatform.get(platform);
}
