// Progress of a long run, so that the results of an interrupted run are not lost.
import { constants } from "node:os";
import { describe, emptyTally, type Tally } from "./tally.ts";

/** A line is printed after so many schedules. */
const EVERY = 500;
const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/**
 * Prints each broken schedule at once, a line after every 500 schedules, and the tally so far if a signal ends the process.
 * Call the returned function with each new sum of all processes.
 */
export function watchRun(title: string, print: (line: string) => void = console.log): (sum: Tally) => void {
  let latest = emptyTally();
  const printed = new Set<string>();
  for (const signal of SIGNALS)
    process.once(signal, () => {
      print(`${title}: ended by ${signal} after ${latest.runs} schedules\n${describe(latest)}`);
      process.exit(latest.broken.length > 0 ? 1 : 128 + constants.signals[signal]);
    });
  return (sum) => {
    for (const { name, rules } of sum.broken)
      if (!printed.has(name)) print(`BROKEN ${name}: ${rules.slice(0, 3).join("; ")}`);
    for (const { name } of sum.broken) printed.add(name);
    if (Math.floor(sum.runs / EVERY) > Math.floor(latest.runs / EVERY))
      print(`${sum.runs} schedules so far, ${sum.broken.length} broken`);
    latest = sum;
  };
}
