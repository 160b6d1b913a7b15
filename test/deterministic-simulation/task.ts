// The task of one simulation process. This file imports nothing, because a process reads it before it loads any replaced code
// (loading.ts).

export interface Task {
  /** Seeds that are run first. */
  known: number[];
  first: number;
  seeds: number;
  step: number;
  /** Networks; null: all. */
  only: string[] | null;
  /** Golden paths to run with every fault at every call; null: none. */
  paths: string[] | null;
  crashes: "none" | "singles" | "pairs";
  /** Scenarios by name; null: seeds or crashes. */
  scenarios: string[] | null;
  mutant: string | null;
  /** Whether to stop after the first broken schedule. */
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

/** Prefix of intermediate results as JSON. Lines without it are for the reader. */
export const SO_FAR = "so far ";
