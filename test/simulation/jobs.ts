// Runs of the simulation in processes of their own: it replaces the clock and the chance of the process it runs in.
import { spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { add, emptyTally, type Tally } from "./tally.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The simulation needs SQLite and types that are stripped, so it runs in the Node that the project brings along. */
const NODE = join(ROOT, "node_modules/node/bin/node");

export interface Task {
  first: number;
  seeds: number;
  step: number;
  /** Networks; null: all. */
  only: string[] | null;
  crashes: "none" | "singles" | "pairs";
  mutant: string | null;
  trace: boolean;
}
export const aTask = (changes: Partial<Task>): Task => ({
  first: 1,
  seeds: 0,
  step: 1,
  only: null,
  crashes: "none",
  mutant: null,
  trace: false,
  ...changes,
});
export const parseTask = (text: string): Task => aTask(JSON.parse(text));

/** Runs one task in a process of its own. Throws what it said when it failed. */
export function perform(task: Task): Promise<Tally> {
  return new Promise((settle, reject) => {
    const child = spawn(NODE, [join(import.meta.dirname, "work.ts"), JSON.stringify(task)], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    let errors = "";
    child.stdout.on("data", (text) => (output += text));
    child.stderr.on("data", (text) => (errors += text));
    child.once("error", reject);
    child.once("close", (code) => {
      const lines = output.trimEnd().split("\n");
      const last = lines.pop() ?? "";
      if (code !== 0) return reject(new Error(`the simulation failed (${code}): ${errors}${output}`));
      if (lines.length > 0) console.log(lines.join("\n"));
      settle(JSON.parse(last));
    });
  });
}

/** Runs a task spread over the machine's cores. */
export async function spread(task: Task, cores = availableParallelism()): Promise<Tally> {
  const parts = Array.from({ length: cores }, (_, i) => ({
    ...task,
    first: task.first + i,
    seeds: task.seeds - i,
    step: cores,
  }));
  const tally = emptyTally();
  for (const part of await Promise.all(parts.map(perform))) add(tally, part);
  return tally;
}

/** Runs tasks, as many at once as there are cores. */
export async function inTurn<Item>(
  items: readonly Item[],
  task: (item: Item) => Task,
  done: (item: Item, tally: Tally) => void,
): Promise<void> {
  const left = [...items];
  const hand = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) done(item, await perform(task(item)));
  };
  await Promise.all(Array.from({ length: availableParallelism() }, hand));
}
