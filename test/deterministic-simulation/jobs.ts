// Runs the simulation in separate processes, because it replaces the clock and the chance of its process.
import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { MUTANTS, WITHIN } from "./mutants.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { FULL_FROM, TURNING_FROM } from "./shapes.ts";
import { add, emptyTally, type Tally } from "./tally.ts";
import { aTask, SO_FAR, type Task } from "./task.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The simulation needs SQLite and type stripping, so it uses the Node version that the project installs. */
const NODE = join(ROOT, "node_modules/.bin/node");
/** A world creates much short-lived garbage. With a small young generation, V8 copies it again and again. */
const FLAGS = ["--max-semi-space-size=64"];
/** The compile cache, which processes share. */
const COMPILED = join(ROOT, "node_modules/.cache/crier-simulation");

/** By planted bug: the schedule that caught it last (written by `npm run simulate -- --mutants`). */
const CAUGHT = join(import.meta.dirname, "mutants/caught.json");
export const caught: Record<string, string> = JSON.parse(readFileSync(CAUGHT, "utf8"));
/** Saves which schedule caught each bug. */
export const keepCaught = () =>
  writeFileSync(CAUGHT, `${JSON.stringify(Object.fromEntries(Object.entries(caught).sort()), null, 2)}\n`);

/** The schedules that search for a planted bug: the one that caught it last, the scenarios written for it, and seeds. */
export function mutantTask(mutant: string): Task {
  const { scenarios: text, only = null, isFull, isTurning } = MUTANTS[mutant] ?? {};
  const last = caught[mutant] ?? "";
  const thought = text === undefined ? [] : Object.keys(SCENARIOS).filter((name) => name.includes(text));
  if (text !== undefined && thought.length === 0) throw new Error(`no scenario is called ${text}`);
  const scenarios = [...(last in SCENARIOS ? [last] : []), ...thought.filter((name) => name !== last)];
  const known = last.startsWith("seed ") ? [Number(last.slice(5))] : [];
  const seeds = WITHIN - scenarios.length - known.length;
  const from = isFull === true ? FULL_FROM : 0;
  const first = (isTurning === true ? TURNING_FROM : from) + 1;
  return aTask({ mutant, stops: true, scenarios, known, only: only === null ? null : [...only], first, seeds });
}

/** Runs one task in a separate process. Throws the process's output if it failed. `watch` receives intermediate results. */
export function perform(task: Task, watch: (soFar: Tally) => void = () => {}): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const child = spawn(NODE, [...FLAGS, join(import.meta.dirname, "work.ts"), JSON.stringify(task)], {
      cwd: ROOT,
      env: { ...process.env, NODE_COMPILE_CACHE: COMPILED },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const end = () => child.kill("SIGKILL");
    process.once("exit", end);
    const lines: string[] = [];
    let errors = "";
    createInterface({ input: child.stdout }).on("line", (line) => {
      if (line.startsWith(SO_FAR)) watch(JSON.parse(line.slice(SO_FAR.length)));
      else lines.push(line);
    });
    child.stderr.on("data", (text) => (errors += text));
    child.once("error", reject);
    child.once("close", (code) => {
      process.off("exit", end);
      if (code !== 0) return reject(new Error(`the simulation failed (${code}): ${errors}${lines.join("\n")}`));
      const last = lines.pop() ?? "";
      if (lines.length > 0) console.log(lines.join("\n"));
      resolve(JSON.parse(last));
    });
  });
}

const sumTallies = (tallies: readonly Tally[]): Tally => {
  const sum = emptyTally();
  for (const tally of tallies) add(sum, tally);
  return sum;
};

/** Runs a task on all cores. `watch` receives the intermediate sums. */
export async function spread(
  task: Task,
  { cores = availableParallelism(), watch = () => {} }: { cores?: number; watch?: (soFar: Tally) => void } = {},
): Promise<Tally> {
  const parts = Array.from({ length: cores }, (_, i) => ({
    ...task,
    known: task.known.filter((_, n) => n % cores === i),
    first: task.first + i,
    seeds: task.seeds - i,
    step: cores,
  }));
  const soFar = new Map<Task, Tally>();
  const performPart = (part: Task) =>
    perform(part, (tally) => {
      soFar.set(part, tally);
      watch(sumTallies([...soFar.values()]));
    });
  return sumTallies(await Promise.all(parts.map(performPart)));
}

/** Runs tasks, as many at once as there are cores. */
export async function performAll<Item>(
  items: readonly Item[],
  task: (item: Item) => Task,
  done: (item: Item, tally: Tally) => void,
): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) done(item, await perform(task(item)));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
}
