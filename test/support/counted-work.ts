// Measures the work of a function as a number that is the same on every machine: how often V8 enters each block of code, and how
// many elements and characters built-in functions read.
import { type Profiler, Session } from "node:inspector";

/** Built-in functions whose work is the length of their array or text. */
const WALKING = {
  array: ["concat", "every", "filter", "find", "findIndex", "flatMap", "forEach", "join", "map", "some", "sort"],
  text: ["match", "replace", "replaceAll", "split", "toLowerCase", "trim"],
} as const;
/** Built-in functions that stop at the first element or character that matches. */
const SEARCHING = ["includes", "indexOf"] as const;

/** Counts the work of each function. */
export function countWork(works: (() => unknown)[]): number[] {
  const session = new Session();
  session.connect();
  session.post("Profiler.enable");
  session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  try {
    takeBlocks(session);
    return works.map((work) => {
      const walked = countWalked(work);
      return walked + takeBlocks(session);
    });
  } finally {
    session.post("Profiler.stopPreciseCoverage");
    session.disconnect();
  }
}

/** Reads how often blocks were entered, and resets the counts. A session of the current thread answers synchronously. */
function takeBlocks(session: Session): number {
  let blocks = 0;
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error;
    blocks = countBlocks(coverage.result);
  });
  return blocks;
}

const countBlocks = (scripts: Profiler.ScriptCoverage[]): number =>
  scripts
    .filter(({ url }) => !url.endsWith("counted-work.ts"))
    .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges))
    .reduce((sum, { count }) => sum + count, 0);

/** Counts the elements and characters that built-in functions read while `work` runs. */
function countWalked(work: () => unknown): number {
  let walked = 0;
  const restore: (() => void)[] = [];
  const replace = (
    owner: object,
    name: string,
    measureLength: (target: ArrayLike<unknown>, result: unknown) => number,
  ) => {
    const original = Reflect.get(owner, name);
    const counting = function (this: ArrayLike<unknown>, ...args: unknown[]): unknown {
      const result = Reflect.apply(original, this, args);
      walked += measureLength(this, result);
      return result;
    };
    Object.defineProperty(owner, name, { value: counting, configurable: true, writable: true });
    restore.push(() => Object.defineProperty(owner, name, { value: original, configurable: true, writable: true }));
  };
  const whole = (target: ArrayLike<unknown>) => target.length;
  for (const name of WALKING.array) replace(Array.prototype, name, whole);
  for (const name of WALKING.text) replace(String.prototype, name, whole);
  const searched = (target: ArrayLike<unknown>, result: unknown) =>
    typeof result === "number" && result >= 0 ? 1 : target.length;
  for (const name of SEARCHING) replace(Array.prototype, name, searched);
  const copied = (_: ArrayLike<unknown>, result: unknown) => (Array.isArray(result) ? result.length : 1);
  replace(Array.prototype, "slice", copied);
  try {
    work();
  } finally {
    for (const undo of restore) undo();
  }
  return walked;
}
