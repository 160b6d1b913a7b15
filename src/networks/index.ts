// The registry: one line adds a network.
import { bluesky } from "./bluesky/index.ts";
import * as facebook from "./facebook/rule.ts";
import * as instagram from "./instagram/rule.ts";
import * as linkedin from "./linkedin/rule.ts";
import type { Network, NetworkFacts } from "./network.ts";
import * as pinterest from "./pinterest/rule.ts";
import { handedOver } from "./protocols/oauth.ts";
import { telegram } from "./telegram/index.ts";
import * as threads from "./threads/rule.ts";
import * as tiktok from "./tiktok/rule.ts";
import * as x from "./x/rule.ts";
import { youtube } from "./youtube/index.ts";

/** Networks that posts are published to. */
export const networks: readonly Network[] = [bluesky, telegram, youtube];

/** Every network whose rules are known; drafts are judged by them before anything can be published there. */
export const platforms: readonly NetworkFacts[] = [
  ...[x, pinterest, instagram, tiktok, linkedin, facebook, threads].map(
    ({ rule, Options }): NetworkFacts => ({ rule, options: Options, connectInput: handedOver }),
  ),
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
