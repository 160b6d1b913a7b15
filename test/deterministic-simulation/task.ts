// What one process of the simulation is asked for. It imports nothing: a process reads it before any of the code that it loads
// otherwise than it stands (-> loading.ts).

export interface Task {
  /** Seeds that are tried before all others. */
  known: number[];
  first: number;
  seeds: number;
  step: number;
  /** Networks; null: all. */
  only: string[] | null;
  /** Golden paths whose every call meets every fault; null: none. */
  paths: string[] | null;
  crashes: "none" | "singles" | "pairs";
  /** Named ones; null: seeds or crashes. */
  scenarios: string[] | null;
  mutant: string | null;
  /** Whether the first schedule that is broken is the last. */
  stops: boolean;
  trace: boolean;
}
export const aTask = (changes: Partial<Task>): Task => ({
  known: [],
  first: 1,
  seeds: 0,
  step: 1,
  only: null,
  paths: null,
  crashes: "none",
  scenarios: null,
  mutant: null,
  stops: false,
  trace: false,
  ...changes,
});
export const parseTask = (text: string): Task => aTask(JSON.parse(text));

/** Before what a process has done so far, as JSON; a line without it is for the reader. */
export const SO_FAR = "so far ";
