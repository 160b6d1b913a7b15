// One run: a seed, or the golden path of a network with crashes at chosen calls; what happened, and what was wrong with it.
import { PLATFORMS } from "./classes.ts";
import { SimulatedDatabase } from "./database.ts";
import { type Crash, chancePlan, crashPlan, NO_FAULTS, type Plan } from "./faults.ts";
import { layGround, standOn } from "./ground.ts";
import { judge, type Verdict } from "./judge.ts";
import { Networks } from "./networks.ts";
import { Chance } from "./prng.ts";
import { Watch } from "./watch.ts";
import { Workload } from "./workload.ts";
import { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Faults strike until then; afterwards all must come to rest by itself. */
const CALM_AFTER_MS = 3 * HOUR;
/** After the last thing that anybody does: the last retry of a delivery comes within a day. */
const HORIZON_MS = 30 * HOUR;
/** Just before midnight of a month's last day for some, in the middle of nothing for others. */
const BEGINNINGS = [
  Date.UTC(2026, 10, 20, 12, 0, 3),
  Date.UTC(2026, 10, 30, 23, 50, 0),
  Date.UTC(2026, 2, 29, 0, 30, 0),
];

export interface Outcome extends Verdict {
  /** Points that the scheduler worked off. */
  points: number;
  /** The most of them in any five minutes. */
  busiest: number;
  /** Faults that struck. */
  injected: string[];
  trace: string[];
  /** Of the order of all calls: two runs of one seed have the same. */
  digest: number;
}

export class Simulation {
  readonly #database = new SimulatedDatabase();
  readonly #networks: Networks;

  private constructor(networks: Networks) {
    this.#networks = networks;
  }

  static async create(): Promise<Simulation> {
    layGround();
    return new Simulation(await Networks.load());
  }

  /** A run in which everything is decided by `seed`. `only`: networks among which it chooses. */
  async seed(seed: number, only: readonly string[] = PLATFORMS): Promise<Outcome> {
    const chance = new Chance(seed);
    const first = only[seed % only.length] ?? "";
    const others = chance.happens(0.25) ? only.filter((name) => name !== first && chance.happens(0.2)) : [];
    const startsAt = chance.pick(BEGINNINGS);
    const calmAt = startsAt + CALM_AFTER_MS;
    return this.#run({ chance, startsAt, platforms: [first, ...others], golden: false }, (world) =>
      chancePlan(chance, () => world.now() >= calmAt),
    );
  }

  /** One post on one network from its creation to its end, in one fixed order, with crashes at these calls. */
  async golden(platform: string, crashes: ReadonlyMap<number, Crash> = new Map()): Promise<Outcome> {
    const startsAt = BEGINNINGS[0] ?? 0;
    return this.#run({ chance: new Chance(1), startsAt, platforms: [platform], golden: true }, () =>
      crashes.size === 0 ? NO_FAULTS : crashPlan(crashes),
    );
  }

  async #run(
    shape: { chance: Chance; startsAt: number; platforms: string[]; golden: boolean },
    planOf: (world: World) => Plan,
  ): Promise<Outcome> {
    const { chance, startsAt, platforms, golden } = shape;
    this.#database.empty();
    this.#networks.empty();
    const parts = { database: this.#database, networks: this.#networks, chance, startsAt, inOrder: golden };
    const world = new World(parts, NO_FAULTS);
    standOn(world);
    const workload = new Workload(world, { platforms, golden });
    await workload.setUp();
    const watch = new Watch(world, workload);
    world.plan = planOf(world);
    world.running = true;
    workload.begin();
    const isOver = () => workload.isDone && world.isQuiet;
    for (;;) {
      const before = workload.lastAt;
      const ends = await world.scheduler.run(isOver, Math.max(workload.lastAt, startsAt + CALM_AFTER_MS) + HORIZON_MS);
      if (!ends) watch.break("I30", "the run never ends");
      // A retry may have been asked for after the end was set.
      if (!ends || isOver() || workload.lastAt === before) break;
    }
    world.running = false;
    const verdict = judge(world, workload, watch);
    return {
      ...verdict,
      points: world.scheduler.count,
      busiest: world.busiest,
      injected: world.injected.map(({ kind }) => kind),
      trace: world.trace,
      digest: world.digest,
    };
  }
}
