// What happens besides in wide runs: a workspace moves to another database, the database goes back to an earlier minute, channels
// are connected again at any instant, one key is used for two posts, an endpoint is gone, and what failed is sent again a day later.

import { GONE } from "./endpoint-addresses.ts";
import type { Chance } from "./prng.ts";
import { textOf, type Wanted } from "./wanted.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

/** What hands these accounts over is good for one exchange, which has been made. */
const USED_UP = ["tiktok", "x", "pinterest", "linkedin", "youtube"];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export class WideCallers {
  readonly #world: World;
  readonly #workload: Workload;
  /** Of its own, so that what callers of full runs do stays what it is. */
  readonly #chance: Chance;
  readonly #startsAt: number;

  constructor(world: World, workload: Workload, chance: Chance) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = chance;
    this.#startsAt = world.now();
  }

  /** `retryFailed`: has what failed sent again. */
  begin(retryFailed: () => void): void {
    const chance = this.#chance;
    const [tenant] = this.#workload.tenants;
    if (tenant === undefined) return;
    if (this.#world.databases.length > 1)
      this.#later(40 * MINUTE, () => {
        if (!this.#workload.erased.has(tenant.id))
          void this.#world.moveAway(tenant, chance.happens(0.3) ? [chance.between(10, 200)] : []);
      });
    else if (chance.happens(0.15)) {
      const minute = this.#startsAt + chance.between(MINUTE, 30 * MINUTE);
      this.#world.timeTravel(this.#workload, { minute, at: minute + chance.between(MINUTE, 30 * MINUTE) });
    }
    for (let i = chance.between(0, 3); i > 0; i--)
      this.#later(HOUR, () => {
        const channel = chance.pick(this.#workload.channels);
        if (!this.#workload.removed.has(channel.id) && !USED_UP.includes(channel.platform))
          this.#workload.reconnect(channel);
      });
    for (const wanted of [...this.#workload.wanted]) {
      if (wanted.key === null || hasOwnWords(wanted) || !chance.happens(0.2)) continue;
      const of = this.#workload.tenantOf(wanted.workspace);
      const other = this.#workload.want(
        of,
        { ...wanted.first, text: textOf(this.#workload.wanted.length, 1) },
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

/** Whether a post says more than its own text, so that another of other words is more than that. */
const hasOwnWords = ({ first }: Wanted): boolean =>
  first.thread.length > 0 ||
  Object.values(first.overrides).some(
    ({ text, thread, first_comment }) => text !== undefined || thread !== undefined || first_comment !== undefined,
  );
