// The registry: adding a network takes an import and an entry (docs/add-a-network.md).
import type { ApiRule, ApiVersions } from "../domain/api-version.ts";
import { OPTION_KINDS, type OptionKind } from "../domain/delivery/follow-up-moves.ts";
import { getRechecks, type Rechecks } from "../domain/delivery/recheck.ts";
import { bluesky } from "./bluesky/index.ts";
import { facebook } from "./facebook/index.ts";
import { instagram } from "./instagram/index.ts";
import { linkedin } from "./linkedin/index.ts";
import type { Network } from "./network.ts";
import { pinterest } from "./pinterest/index.ts";
import { telegram } from "./telegram/index.ts";
import { threads } from "./threads/index.ts";
import { tiktok } from "./tiktok/index.ts";
import { x } from "./x/index.ts";
import { youtube } from "./youtube/index.ts";

export const networks: readonly Network[] = [
  x,
  pinterest,
  instagram,
  tiktok,
  linkedin,
  youtube,
  facebook,
  threads,
  bluesky,
  telegram,
];

const byPlatform = new Map(networks.map((network) => [network.rule.platform, network]));

/** The network of a platform name; undefined for an unknown name. */
export function findNetwork(platform: string): Network | undefined {
  return byPlatform.get(platform);
}

/** By platform: how many milliseconds the irrevocable call may take. */
export const sendTimeoutsMs: Readonly<Record<string, number>> = Object.fromEntries(
  networks.map(({ rule: { platform }, publishTimeoutMs }) => [platform, publishTimeoutMs]),
);

/** The API version that calls to a network use, and until when the network supports it. */
export function readApi({ rule, versions }: Pick<Network, "rule" | "versions">, settings: ApiVersions): ApiRule {
  const version = versions && settings[versions.setting];
  return version ? { version, supported_until: versions.supportedUntil(version) } : rule.api;
}

/** The work under a live post that a network can do. */
export const listFollowUpKinds = (network: Network | undefined): OptionKind[] =>
  OPTION_KINDS.filter((kind) =>
    kind === "first_comment" ? network?.firstComment !== undefined : network?.additions?.[kind] !== undefined,
  );

/** How often posts on a network are rechecked. `chosen`: the workspace's setting; null: the network's own rule. */
export const readRechecks = (platform: string, chosen: Rechecks | null): Rechecks =>
  getRechecks(findNetwork(platform)?.rule ?? {}, chosen);
