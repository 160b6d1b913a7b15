import { expect, it } from "vitest";
import { caught } from "../deterministic-simulation/jobs.ts";
import { MUTANTS } from "../deterministic-simulation/mutants.ts";
import { watchRun } from "../deterministic-simulation/progress.ts";
import { emptyTally } from "../deterministic-simulation/tally.ts";
import { runScript } from "../e2e/local/operator-script.ts";

const SCRIPT = "test/deterministic-simulation/run.ts";

it("`npm run simulate` prints its usage, and names an unknown option", async () => {
  const [help, wrong] = await Promise.all([
    runScript([SCRIPT, "--help"], process.env),
    runScript([SCRIPT, "--sedes", "5"], process.env),
  ]);
  expect(help).toMatchObject({ code: 0, output: expect.stringContaining("--seeds N") });
  expect(wrong).toMatchObject({ code: 2, output: expect.stringContaining("'--sedes'") });
  for (const { output } of [help, wrong]) expect(output).not.toContain("    at ");
});

it("a long simulation prints each broken schedule once and a line after each 500 schedules", () => {
  const lines: string[] = [];
  const watch = watchRun("seeds 1 to 2000", (line) => lines.push(line));
  const broken = [{ name: "seed 7", rules: ["on_time p1 is late", "all_end p1"] }];
  watch({ ...emptyTally(), runs: 40 });
  watch({ ...emptyTally(), runs: 41, broken });
  watch({ ...emptyTally(), runs: 499, broken });
  watch({ ...emptyTally(), runs: 520, broken });
  watch({ ...emptyTally(), runs: 1_000, broken });
  expect(lines).toEqual([
    "BROKEN seed 7: on_time p1 is late; all_end p1",
    "520 schedules so far, 1 broken",
    "1000 schedules so far, 1 broken",
  ]);
});

it("a simulation that is ended by a signal prints its results so far", async () => {
  const script = (tally: string, signal: string) => `
    import { watchRun } from "./test/deterministic-simulation/progress.ts";
    import { emptyTally } from "./test/deterministic-simulation/tally.ts";
    watchRun("seeds 1 to 2000")({ ...emptyTally(), ${tally} });
    process.kill(process.pid, "${signal}");
    setInterval(() => {}, 1_000);`;
  const run = (tally: string, signal: string) =>
    runScript(["--input-type=module-typescript", "--eval", script(tally, signal)], process.env);
  const [clean, broken] = await Promise.all([
    run("runs: 730", "SIGINT"),
    run('runs: 31, broken: [{ name: "seed 9", rules: ["all_end p1"] }]', "SIGTERM"),
  ]);
  expect(clean.output).toContain("seeds 1 to 2000: ended by SIGINT after 730 schedules\nschedules 730 ");
  expect(clean.code).toBe(130);
  expect(broken.output).toContain("seeds 1 to 2000: ended by SIGTERM after 31 schedules\nschedules 31 ");
  expect(broken.output).toContain("BROKEN seed 9: all_end p1");
  expect(broken.code).toBe(1);
});

it("caught.json has a schedule for every planted bug, and no other entries", () => {
  expect(Object.keys(caught).toSorted()).toEqual(Object.keys(MUTANTS).toSorted());
});
