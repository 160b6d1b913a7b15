// The registry: one line adds a network.
import { bluesky } from "./bluesky/index.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import type { Network, NetworkFacts } from "./network.ts";
import { pinterest } from "./pinterest/index.ts";
import { handedOver } from "./protocols/oauth.ts";
import { telegram } from "./telegram/index.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { x } from "./x/index.ts";
import * as youtube from "./youtube/rule.ts";

/** Networks that posts are published to. */
export const networks: readonly Network[] = [
  x,
  bluesky,
  facebook,
  instagram,
  linkedin,
  pinterest,
  telegram,
  threads,
  tiktok,
];

/** Every network whose rules are known; drafts are judged by them before anything can be published there. */
export const platforms: readonly NetworkFacts[] = [
  ...[youtube].map(({ rule, Options }): NetworkFacts => ({ rule, options: Options, connectInput: handedOver })),
  ...networks,
];

const networkByName = new Map(networks.map((network) => [network.rule.platform, network]));
const platformByName = new Map(platforms.map((platform) => [platform.rule.platform, platform]));

/** The network of a platform name; undefined when nothing can be published there. */
export function networkOf(platform: string): Network | undefined {
  return networkByName.get(platform);
}

/** What is known of a platform; undefined when there is none of that name. */
export function platformOf(platform: string): NetworkFacts | undefined {
  return platformByName.get(platform);
}
