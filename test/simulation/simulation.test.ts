// The delivery engine under simulation: thousands of schedules with whatever goes wrong, a crash at every call of the golden
// path, and bugs that are planted to see whether all this sees them.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { CLASS_OF, PLATFORMS } from "./classes.ts";
import { KINDS } from "./faults.ts";
import { aTask, inTurn, perform, spread } from "./jobs.ts";
import { changed } from "./loading.ts";
import { MUTANTS } from "./mutants.ts";
import type { Tally } from "./tally.ts";

const SEEDS = Number(process.env.CRIER_SIMULATION_SEEDS ?? 5_000);
/** Within so many seeds a planted bug must show. */
const MUTANT_SEEDS = 5_000;
const TIMEOUT_MS = 20 * 60_000;

/** Seeds that found a bug of ours, with the bug as it can be planted again. */
const regressions: { seed: number; planted: string }[] = JSON.parse(
  readFileSync(`${import.meta.dirname}/regressions.json`, "utf8"),
);

const NOTHING_WRONG = {
  broken: [],
  lost: 0,
  duplicated: 0,
  stuck: 0,
  falseLive: 0,
  falseFailed: 0,
  unconfirmedUnexplained: 0,
} satisfies Partial<Tally>;

describe("schedules", () => {
  it(`${SEEDS} of them lose, repeat, forget and misreport nothing, whatever goes wrong`, {
    timeout: TIMEOUT_MS,
  }, async () => {
    const tally = await spread(aTask({ seeds: SEEDS }));
    expect(tally).toMatchObject({ runs: SEEDS, ...NOTHING_WRONG });
    expect(tally.live).toBeGreaterThan(SEEDS / 2);
    // A kind of fault that never strikes proves nothing.
    expect(KINDS.filter((kind) => SEEDS >= 5_000 && !tally.faults[kind])).toEqual([]);
  });

  it.each(regressions)(
    "seed $seed is clean, but for the bug that it found: $planted",
    {
      timeout: TIMEOUT_MS,
    },
    async ({ seed, planted }) => {
      const { only = null } = MUTANTS[planted] ?? expect.fail("no such bug");
      const task = aTask({ first: seed, seeds: 1, only: only === null ? null : [...only] });
      expect(await perform(task)).toMatchObject({ runs: 1, ...NOTHING_WRONG });
      expect((await perform({ ...task, mutant: planted })).broken).toHaveLength(1);
    },
  );

  it("of one seed are the same each time", { timeout: TIMEOUT_MS }, async () => {
    const [one, other] = await Promise.all([1, 2].map(() => perform(aTask({ first: 40, seeds: 20 }))));
    expect(one?.digest).toBe(other?.digest);
  });
});

describe("a crash at each call from the request to the event", () => {
  it.each(PLATFORMS)(
    "%s: before it, after it took effect, and with its answer lost",
    { timeout: TIMEOUT_MS },
    async (platform) => {
      const tally = await perform(aTask({ crashes: "singles", only: [platform] }));
      expect(tally).toMatchObject(NOTHING_WRONG);
      // Where the network keeps a token of ours, a crash costs nothing but time.
      if (!CLASS_OF[platform]?.startsWith("d"))
        expect(tally).toMatchObject({ live: tally.runs, unconfirmedExplained: 0 });
    },
  );
});

describe("the simulation sees", () => {
  it("every bug that is planted, within 5,000 seeds", { timeout: TIMEOUT_MS }, async () => {
    const missed: string[] = [];
    await inTurn(
      Object.entries(MUTANTS),
      ([mutant, { only = null }]) => aTask({ mutant, only: only === null ? null : [...only], seeds: MUTANT_SEEDS }),
      ([name], { broken }) => {
        if (broken.length === 0) missed.push(name);
      },
    );
    expect(missed).toEqual([]);
  });

  it("that a planted bug is out of date", () => {
    expect(() => changed("one two", { file: "a.ts", find: "three", replace: "" })).toThrow("a.ts");
    expect(() => changed("one one", { file: "a.ts", find: "one", replace: "" })).toThrow("exactly once");
  });
});
