// What happens only in rich runs: readers continue the event feed from their cursors, an endpoint fails for days, the month of
// a plan is nearly full, callers repeat requests, and new versions are deployed.
import { formatMonth } from "../../src/domain/instant.ts";
import { PLANS } from "../../src/domain/plan.ts";
import { FAILING } from "./endpoint-addresses.ts";
import { FeedReader } from "./feed-readers.ts";
import { FILES_OF } from "./networks.ts";
import type { Chance } from "./prng.ts";
import { post } from "./scenarios/scenario.ts";
import type { Workload } from "./workload.ts";
import type { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export class RichCallers {
  readonly #world: World;
  readonly #workload: Workload;
  /** A separate generator, so that the callers of wide runs behave as before. */
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
    if (chance.happens(0.2)) this.#fillMonth();
    for (const wanted of this.#workload.wanted)
      if (wanted.key !== null && chance.happens(0.3))
        this.#workload.create(wanted, this.#startsAt + chance.between(0, 20 * MINUTE));
    if (chance.happens(0.1)) this.#failForDays();
    if (chance.happens(0.2)) {
      // The first deploy is an upgrade or a rollback.
      this.#world.version = chance.pick(["before", "after"]);
      for (let deploys = chance.between(1, 3); deploys > 0; deploys--)
        this.#later(chance.pick([20 * MINUTE, HOUR]), () => this.#world.processes.deploy(chance.between(0, 30_000)));
    }
    // Longer than any key is repeated, because the key is free again once its post is archived.
    if (chance.happens(0.15) && this.#world.databases.length === 1) {
      this.#world.archive.keepFor(chance.between(70, 300) * MINUTE);
      this.#workload.at(this.#startsAt + 8 * HOUR, () => {});
    }
  }

  /** The first workspace has room for a few more posts in this month. */
  #fillMonth(): void {
    const [tenant] = this.#workload.tenants;
    if (tenant === undefined) return;
    const counted = PLANS.free.posts_per_month - this.#chance.between(0, 4);
    const { database, countedBefore } = this.#world;
    database.change("UPDATE workspaces SET plan = 'free' WHERE id = ?", tenant.id);
    database.change(
      "INSERT INTO usage_months (workspace_id, month, posts) VALUES (?, ?, ?)",
      tenant.id,
      formatMonth(this.#startsAt),
      counted,
    );
    countedBefore.set(`${tenant.id} ${formatMonth(this.#startsAt)}`, counted);
  }

  /** A second endpoint of a workspace fails, forever or until it recovers. The workspace publishes once a day. */
  #failForDays(): void {
    const chance = this.#chance;
    const [tenant] = this.#workload.tenants;
    const [channel] = tenant?.channels ?? [];
    if (tenant === undefined || channel === undefined || tenant.subscribed.length === 0) return;
    if (chance.happens(0.5)) this.#world.receiver.failsUntil = this.#startsAt + chance.between(1, 6 * 24) * HOUR;
    this.#later(20 * MINUTE, () =>
      this.#workload.request(tenant.id, "webhooks.create", { body: { url: FAILING } }, () => {}),
    );
    const { some, min } = FILES_OF[channel.platform] ?? { some: [], min: 0 };
    for (let day = 1; day <= 7; day++)
      this.#workload.at(this.#startsAt + day * DAY, () => {
        if (!this.#workload.removed.has(channel.id) && !this.#workload.erased.has(tenant.id))
          post(this.#world, this.#workload, tenant, { channels: [channel], files: some.slice(0, min) });
      });
  }

  /** A program that reads the feed from time to time, mostly while much happens. */
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
