// One process of the simulation: carries out its task (its only argument) and prints the results as JSON.

import { singleFault } from "./enumerating.ts";
import { CRASHES, type Crash, NO_FAULTS } from "./faults.ts";
import { machineNow, say } from "./ground.ts";
import { hookLoading } from "./loading.ts";
import { checkPlanted, plant } from "./planting.ts";
import type { Outcome, Simulation } from "./simulate.ts";
import { OBSERVERS } from "./subjects.ts";
import { count as add, emptyTally, type Tally } from "./tally.ts";
import { parseTask, SO_FAR, type Task } from "./task.ts";

/** Intermediate results are sent after so many schedules, and at once if one is broken. */
const TOLD_EACH = 20;
// A signal goes to this process and its parent. The parent prints the results and ends this process.
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => {});

const task = parseTask(process.argv[2] ?? "");
hookLoading();
// Planted bugs use the faster modules too.
const { MUTANTS } = await import("./mutants.ts");
const mutant = task.mutant === null ? null : MUTANTS[task.mutant];
if (mutant === undefined) throw new Error(`no bug is called ${task.mutant}`);
plant([...(mutant?.injections ?? []), ...OBSERVERS]);
const { Simulation: Simulated } = await import("./simulate.ts");
checkPlanted();
const tally = emptyTally();
const startedAt = machineNow();
await work(await Simulated.create(), task, tally);
tally.seconds = (machineNow() - startedAt) / 1000;
say(JSON.stringify(tally));

function count(tally: Tally, name: string, outcome: Outcome): void {
  add(tally, name, outcome);
  if (outcome.broken.length === 0 && tally.runs % TOLD_EACH !== 0) return;
  say(SO_FAR + JSON.stringify({ ...tally, seconds: (machineNow() - startedAt) / 1000 }));
}

async function work(simulation: Simulation, task: Task, tally: Tally): Promise<void> {
  const only = task.only ?? undefined;
  for (const seed of task.known) {
    const outcome = await simulation.seed(seed, only);
    count(tally, `seed ${seed}`, outcome);
    if (task.stops && outcome.broken.length > 0) return;
  }
  if (task.scenarios !== null) {
    for (const name of task.scenarios) {
      const outcome = await simulation.scenario(name);
      count(tally, name, outcome);
      if (task.trace) say(outcome.trace.join("\n"));
      if (task.stops && outcome.broken.length > 0) return;
    }
    if (task.seeds === 0) return;
  }
  if (task.paths !== null) {
    for (const path of task.paths) await enumerate(simulation, path, task, tally);
    return;
  }
  if (task.crashes === "none") {
    for (let seed = task.first; seed < task.first + task.seeds; seed += task.step) {
      const outcome = await simulation.seed(seed, only);
      count(tally, `seed ${seed}`, outcome);
      if (task.trace) say(outcome.trace.join("\n"));
      if (task.stops && outcome.broken.length > 0) return;
    }
    return;
  }
  for (const platform of only ?? []) {
    const golden = await simulation.golden(platform);
    count(tally, platform, golden);
    for (const crashes of listCrashes(golden.points, task.crashes === "pairs", task.first, task.step)) {
      const name = `${platform} ${[...crashes].map(([at, kind]) => `${at}:${kind}`).join(",")}`;
      const outcome = await simulation.golden(platform, crashes);
      count(tally, name, outcome);
    }
  }
}

/** Runs every call of a path with every fault. It takes every `step`th call from `first` on. */
async function enumerate(simulation: Simulation, path: string, task: Task, tally: Tally): Promise<void> {
  const golden = await simulation.path(path, NO_FAULTS);
  count(tally, path, golden);
  for (let at = task.first % task.step; at < golden.points; at += task.step)
    for (let nth = 0; ; nth++) {
      const outcome = await simulation.path(path, singleFault(at, nth));
      if (outcome.injected.length <= golden.injected.length) break;
      count(tally, `${path}, call ${at}, fault ${nth} (${outcome.injected.join()})`, outcome);
    }
}

/** Every call with every crash, or every two calls. Of these, every `step`th from `first` on. */
function* listCrashes(points: number, pairs: boolean, first: number, step: number): Generator<Map<number, Crash>> {
  let n = 0;
  const mine = () => n++ % step === first % step;
  for (let at = 0; at < points; at++) {
    for (const kind of CRASHES) {
      if (!pairs && mine()) yield new Map([[at, kind]]);
      // A run with a crash is longer than the golden path.
      for (let then = at + 1; pairs && then < points + points; then++)
        for (const other of CRASHES)
          if (mine())
            yield new Map([
              [at, kind],
              [then, other],
            ]);
    }
  }
}
