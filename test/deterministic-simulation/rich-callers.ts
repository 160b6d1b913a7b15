// What happens besides in rich runs: readers of the event feed come back with their cursors.
import { FeedReader } from "./feed-readers.ts";
import type { Chance } from "./prng.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

export class RichCallers {
  readonly #world: World;
  readonly #workload: Workload;
  /** Of its own, so that what callers of wide runs do stays what it is. */
  readonly #chance: Chance;
  readonly #startsAt: number;

  constructor(world: World, workload: Workload, chance: Chance) {
    this.#world = world;
    this.#workload = workload;
    this.#chance = chance;
    this.#startsAt = world.now();
  }

  begin(): void {
    const chance = this.#chance;
    if (chance.happens(0.5)) for (let count = chance.between(1, 2); count > 0; count--) this.#seatReader();
  }

  /** A program that reads the feed now and then, most often while much happens. */
  #seatReader(): void {
    const chance = this.#chance;
    const options = { hasChannels: chance.happens(0.5), limit: chance.pick([1, 2, 5, 50]) };
    const reader = new FeedReader(chance.pick(this.#workload.tenants), options);
    this.#workload.readers.push(reader);
    for (let reads = chance.between(2, 12); reads > 0; reads--)
      this.#later(chance.pick([20 * MINUTE, HOUR, 3 * HOUR]), () => reader.read(this.#world, this.#workload));
  }

  #later(withinMs: number, then: () => void): void {
    this.#workload.at(this.#startsAt + this.#chance.between(0, withinMs), then);
  }
}
