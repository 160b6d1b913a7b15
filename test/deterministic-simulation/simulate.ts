// One run: a seed, a scenario, or the golden path of a network with crashes at given calls. Returns what happened and which
// promises were broken.
import { Callers } from "./callers.ts";
import { judgeReaders } from "./check-readers.ts";
import { judgeRestored } from "./check-restored.ts";
import { Checks } from "./checks-always.ts";
import { judge, type Verdict } from "./checks-at-end.ts";
import { PLATFORMS } from "./classes.ts";
import { SimulatedDatabase } from "./database.ts";
import { PATHS } from "./enumerating.ts";
import {
  type Crash,
  chancePlan,
  crashPlan,
  FULL_KINDS,
  KINDS,
  type NetworkOutage,
  NO_FAULTS,
  type Plan,
} from "./faults.ts";
import { layGround, standOn } from "./ground.ts";
import { Networks, THREADED } from "./networks.ts";
import { Chance } from "./prng.ts";
import { RichCallers } from "./rich-callers.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import type { Scenario } from "./scenarios/scenario.ts";
import { beginSeries } from "./series-callers.ts";
import {
  chanceShape,
  FULL_FROM,
  goldenShape,
  hasSeries,
  NEWEST_FROM,
  RICH_FROM,
  type Shape,
  TURNING_FROM,
  WIDE_FROM,
} from "./shapes.ts";
import { planRestore } from "./time-travel.ts";
import { TURNS_AT, TurnCallers } from "./turn-callers.ts";
import { readPosts } from "./views.ts";
import { WideCallers } from "./wide-callers.ts";
import { Workload } from "./workload.ts";
import { World } from "./world.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The last fault strikes before this time. Afterwards, the world must come to rest by itself. */
const CALM_AFTER_MS = 3 * HOUR;
/** The last retry of a delivery is within a day, so a run lasts this long after the last action of its callers. */
const HORIZON_MS = 30 * HOUR;
/** Some runs start just before midnight on the last day of a month, and some on an ordinary day. */
const BEGINNINGS = [
  Date.UTC(2026, 10, 20, 12, 0, 3),
  Date.UTC(2026, 10, 30, 23, 50, 0),
  Date.UTC(2026, 2, 29, 0, 30, 0),
];

export interface Outcome extends Verdict {
  /** Points that the scheduler carried out. */
  points: number;
  /** The most points in any five minutes. */
  busiest: number;
  /** The faults that struck. */
  injected: string[];
  trace: string[];
  /** A digest of all calls in order. Two runs of one seed have the same digest. */
  digest: number;
}

interface Run {
  chance: Chance;
  startsAt: number;
  shape: Shape;
  inOrder: boolean;
  isPrompt: boolean;
  createPlan: (world: World, workload: Workload) => Plan;
  begin: (world: World, workload: Workload) => void;
  hasTwoDatabases?: boolean;
  pointsMax: number;
}

export class Simulation {
  readonly #database = new SimulatedDatabase();
  /** The second database, in runs that move workspaces. */
  #further: SimulatedDatabase | null = null;
  readonly #networks: Networks;

  private constructor(networks: Networks) {
    this.#networks = networks;
  }

  static async create(): Promise<Simulation> {
    layGround();
    return new Simulation(await Networks.load());
  }

  /** A run that `seed` determines, a full one from `FULL_FROM` on. `only`: the networks to choose from. */
  async seed(seed: number, only: readonly string[] = PLATFORMS): Promise<Outcome> {
    const chance = new Chance(seed);
    const threaded = only.filter((name) => seed >= FULL_FROM && THREADED.includes(name));
    const first = (threaded.length > 0 && chance.happens(0.5) ? chance.pick(threaded) : only[seed % only.length]) ?? "";
    const others = chance.happens(0.25) ? only.filter((name) => name !== first && chance.happens(0.2)) : [];
    const turning = seed >= TURNING_FROM ? new Chance(-5 * seed) : null;
    const usual = chance.pick(BEGINNINGS);
    const startsAt = turning === null ? usual : TURNS_AT - turning.between(1, 60) * MINUTE;
    const calmAt = startsAt + CALM_AFTER_MS;
    // Most networks charge nothing.
    const charges = turning?.happens(0.6) && only.includes("x") ? ["x"] : [];
    const platforms = [...new Set([...charges, first, ...others])];
    const isFull = seed >= FULL_FROM;
    const isWide = seed >= WIDE_FROM;
    const wide = new Chance(-2 * seed);
    const shape = chanceShape(chance, platforms, isFull, new Chance(-seed));
    if (seed >= NEWEST_FROM) shape.drafts = new Chance(-4 * seed);
    if (hasSeries(seed)) shape.ownTimes = new Chance(-7 * seed);
    // More channels than one lane has.
    if (isWide && wide.happens(0.1)) shape.tenants[0]?.push(...Array.from({ length: 18 }, () => "telegram"));
    const outages: NetworkOutage[] = [];
    if (chance.happens(0.12)) {
      const from = startsAt + chance.between(0, 40 * MINUTE);
      outages.push({
        platform: chance.pick(platforms),
        from,
        to: from + chance.between(MINUTE, 60 * MINUTE),
        how: chance.pick(["hangs", "hangs", "refuses", "fails"]),
      });
    }
    const rich = new Chance(-3 * seed);
    if (seed >= RICH_FROM && rich.happens(0.1)) {
      const from = startsAt + rich.between(0, 40 * MINUTE);
      outages.push({ platform: rich.pick(platforms), from, to: from + rich.between(10, 140) * MINUTE, how: "asks" });
    }
    return this.#run({
      chance,
      startsAt,
      shape,
      inOrder: false,
      isPrompt: chance.happens(0.4),
      createPlan: (world) => chancePlan(chance, () => world.now() >= calmAt, outages, isFull ? FULL_KINDS : KINDS),
      begin: (world, workload) => {
        const callers = new Callers(world, workload, shape);
        callers.begin();
        // Wide runs decide about restores by themselves. With this factor, no kept seed has one.
        const restores = new Chance(-9 * seed);
        if (isFull && !isWide && restores.happens(0.05)) planRestore(world, workload, restores);
        if (isWide) new WideCallers(world, workload, wide).begin(() => callers.retryFailed());
        if (seed >= RICH_FROM) new RichCallers(world, workload, rich).begin();
        if (hasSeries(seed)) beginSeries(world, workload, new Chance(-11 * seed));
        if (turning !== null) new TurnCallers(world, workload, turning).begin();
      },
      // The world has one home for all workspaces.
      hasTwoDatabases: isWide && shape.tenants.length === 1 && wide.happens(0.2),
      pointsMax: 30_000,
    });
  }

  /** A hand-written run. */
  async scenario(name: string): Promise<Outcome> {
    const scenario: Scenario | undefined = SCENARIOS[name];
    if (scenario === undefined) throw new Error(`no scenario ${name}`);
    return this.#run({
      chance: new Chance(1),
      startsAt: scenario.startsAt ?? BEGINNINGS[0] ?? 0,
      shape: { ...goldenShape("bluesky"), tenants: scenario.tenants, webhooks: scenario.hasWebhooks ?? false },
      inOrder: false,
      isPrompt: true,
      createPlan: scenario.plan,
      begin: scenario.begin,
      hasTwoDatabases: scenario.hasTwoDatabases ?? false,
      pointsMax: 10_000,
    });
  }

  /** One post on one network from its creation to its end, in a fixed order, with crashes at the given calls. */
  async golden(platform: string, crashes: ReadonlyMap<number, Crash> = new Map()): Promise<Outcome> {
    const shape = goldenShape(platform);
    return this.#run({
      chance: new Chance(1),
      startsAt: BEGINNINGS[0] ?? 0,
      shape,
      inOrder: true,
      isPrompt: true,
      createPlan: () => (crashes.size === 0 ? NO_FAULTS : crashPlan(crashes)),
      begin: (world, workload) => new Callers(world, workload, shape).begin(),
      pointsMax: 20_000,
    });
  }

  /** A golden path with a plan of faults. */
  async path(name: string, plan: Plan): Promise<Outcome> {
    const path = PATHS[name];
    if (path === undefined) throw new Error(`no path ${name}`);
    return this.#run({
      chance: new Chance(1),
      startsAt: BEGINNINGS[0] ?? 0,
      shape: { ...goldenShape("telegram"), tenants: [path.platforms], webhooks: false },
      inOrder: true,
      isPrompt: true,
      createPlan: () => plan,
      begin: path.begin,
      pointsMax: 10_000,
    });
  }

  async #run({
    chance,
    startsAt,
    shape,
    inOrder,
    isPrompt,
    createPlan,
    begin,
    hasTwoDatabases = false,
    pointsMax,
  }: Run): Promise<Outcome> {
    if (hasTwoDatabases) this.#further ??= new SimulatedDatabase();
    const further = hasTwoDatabases && this.#further !== null ? [this.#further] : [];
    const databases = [this.#database, ...further] as const;
    for (const database of databases) database.empty();
    this.#networks.empty();
    const parts = { databases, networks: this.#networks, chance, startsAt, inOrder, isPrompt };
    const world = new World(parts, NO_FAULTS);
    world.scheduler.pointsMax = pointsMax;
    standOn(world);
    const workload = new Workload(world, shape);
    await workload.setUp();
    const checks = new Checks(world, workload);
    world.plan = createPlan(world, workload);
    world.running = true;
    begin(world, workload);
    const isOver = () => workload.isDone && world.isQuiet;
    for (;;) {
      const before = workload.lastAt;
      const ends = await world.scheduler.run(isOver, Math.max(workload.lastAt, startsAt + CALM_AFTER_MS) + HORIZON_MS);
      if (!ends) checks.break("comes_to_rest", "the run never ends");
      // A retry may have been requested after the end was set.
      if (!ends || isOver() || workload.lastAt === before) break;
    }
    world.running = false;
    const { wentBackAt } = world;
    const verdict =
      wentBackAt === null
        ? judge(world, workload, checks, await readPosts(world, workload))
        : judgeRestored(world, workload, wentBackAt, checks.broken);
    await judgeReaders(world, workload, (promise, what) => checks.break(promise, what));
    world.ports.close();
    return {
      ...verdict,
      points: world.scheduler.count,
      busiest: world.points.busiest,
      injected: world.injected.map(({ kind }) => kind),
      trace: world.trace,
      digest: world.digest,
    };
  }
}
