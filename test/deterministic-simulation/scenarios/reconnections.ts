// Channels that their owners reconnect while the older credential is being renewed. Refresh tokens are single-use.
import { rulePlan } from "../faults.ts";
import type { Channel } from "../wanted.ts";
import type { Workload } from "../workload.ts";
import type { World } from "../world.ts";
import { MINUTE, post, type Scenario, SECOND } from "./scenario.ts";

/** Networks whose simulators accept any pair of tokens that an account has consented to. */
const CONSENTING = ["x", "pinterest"];

/** Connects a channel with new tokens of its account, which expire after `lastsMs`. */
function consentAgain(
  world: World,
  workload: Workload,
  { workspace, platform, handle, account }: Channel,
  lastsMs: number,
): void {
  const issued = `issued${world.now()}`;
  const credentials = {
    access_token: `access_${issued}-for-${account}`,
    refresh_token: `refresh_${issued}-for-${account}`,
    expires_at: new Date(world.now() + lastsMs).toISOString(),
  };
  workload.request(workspace, "channels.connect", { body: { platform, handle, credentials } }, () => {});
}

/** Every call of the network takes five seconds, and so does the renewal. */
const renewedAmid = (platform: string): Scenario => ({
  tenants: [[platform]],
  plan: () => rulePlan([], () => 5 * SECOND),
  begin(world, workload) {
    const startsAt = world.now();
    const [channel] = workload.channels;
    if (channel === undefined) return;
    const connect = (lastsMs: number) => {
      if (CONSENTING.includes(platform)) consentAgain(world, workload, channel, lastsMs);
      else workload.reconnect(channel);
    };
    if (CONSENTING.includes(platform)) connect(120 * MINUTE);
    workload.at(startsAt + 30 * SECOND, () =>
      world.database.change("UPDATE channels SET renew_at = ? WHERE renew_at IS NOT NULL", world.now()),
    );
    // The sweeper starts at the next full minute.
    for (let ms = 58 * SECOND; ms < 68 * SECOND; ms += 3 * SECOND)
      workload.at(startsAt + ms, () => connect(30 * MINUTE));
    for (const afterMs of [10 * MINUTE, 50 * MINUTE])
      post(world, workload, workload.tenants[0], { afterMs, files: platform === "tiktok" ? [3] : [0] });
  },
});

export const reconnectionScenarios: Record<string, Scenario> = Object.fromEntries(
  ["x", "tiktok", "pinterest"].map((platform) => [
    `a channel of ${platform} is connected again while its old credential is renewed`,
    renewedAmid(platform),
  ]),
);
