// What happens only in wide runs: a workspace moves to another database, channels are reconnected at any instant, one key is
// used for two posts, an endpoint is gone, and failed deliveries are retried a day later.

import { GONE } from "./endpoint-addresses.ts";
import type { Chance } from "./prng.ts";
import { planRestore } from "./time-travel.ts";
import { buildText, type Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** Networks whose single-use code for connecting the account has been used up. */
const USED_UP = ["tiktok", "x", "pinterest", "linkedin", "youtube"];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export class WideCallers {
  readonly #world: World;
  readonly #workload: Workload;
  /** A separate generator, so that the callers of full runs behave as before. */
  readonly #chance: Chance;
  readonly #startsAt: number;

  constructor(world: World, workload: Workload, chance: Chance) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = chance;
    this.#startsAt = world.now();
  }

  /** `retryFailed`: retries failed deliveries. */
  begin(retryFailed: () => void): void {
    const chance = this.#chance;
    const [tenant] = this.#workload.tenants;
    if (tenant === undefined) return;
    if (this.#world.databases.length > 1)
      this.#later(40 * MINUTE, () => {
        if (!this.#workload.erased.has(tenant.id))
          void this.#world.moveAway(tenant, chance.happens(0.3) ? [chance.between(10, 200)] : []);
      });
    else if (chance.happens(0.15)) planRestore(this.#world, this.#workload, chance);
    for (let i = chance.between(0, 3); i > 0; i--)
      this.#later(HOUR, () => {
        const channel = chance.pick(this.#workload.channels);
        if (!this.#workload.removed.has(channel.id) && !USED_UP.includes(channel.platform))
          this.#workload.reconnect(channel);
      });
    for (const wanted of [...this.#workload.wanted]) {
      if (wanted.key === null || hasOwnWords(wanted) || !chance.happens(0.2)) continue;
      const owner = this.#workload.getTenant(wanted.workspace);
      const other = this.#workload.want(
        owner,
        { ...wanted.first, text: buildText(this.#workload.wanted.length, 1) },
        wanted.key,
      );
      this.#workload.create(other, this.#startsAt + chance.between(0, 20 * MINUTE));
    }
    if (tenant.subscribed.length > 0 && chance.happens(0.5)) {
      this.#world.receiver.gone.add(GONE);
      this.#later(20 * MINUTE, () =>
        this.#workload.request(tenant.id, "webhooks.create", { body: { url: GONE } }, () => {}),
      );
    }
    if (chance.happens(0.3)) this.#workload.at(this.#startsAt + 25 * HOUR, retryFailed);
  }

  #later(withinMs: number, then: () => void): void {
    this.#workload.at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }
}

/** Whether a post has texts besides its own, so that a post of another text differs in more than that. */
const hasOwnWords = ({ first }: Wanted): boolean =>
  first.thread.length > 0 ||
  Object.values(first.overrides).some(
    ({ text, thread, first_comment }) => text !== undefined || thread !== undefined || first_comment !== undefined,
  );
