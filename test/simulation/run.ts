// `npm run simulate`: what it was asked to run, what came of it, and 1 when anything is broken.
//   --seeds N [--seed S] [--only bluesky,x]   N schedules from S on, each decided by its seed
//   --crashes | --pairs                       the golden path of each network with a crash at every call, or at every two
//   --mutants | --mutant "no lease"           plants the bugs of mutants.ts and looks for the first seed that catches each
//   --trace                                   all that happened, call by call (with --seed S and one seed)
import { parseArgs } from "node:util";
import { PLATFORMS } from "./classes.ts";
import { aTask, inTurn, spread } from "./jobs.ts";
import { MUTANTS } from "./mutants.ts";
import { describe, type Tally } from "./tally.ts";

const { values } = parseArgs({
  options: {
    seeds: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    crashes: { type: "boolean", default: false },
    pairs: { type: "boolean", default: false },
    mutants: { type: "boolean", default: false },
    mutant: { type: "string" },
    trace: { type: "boolean", default: false },
  },
});

const SEEDS = 1_000;
/** Within so many seeds each planted bug must be caught. */
export const MUTANT_SEEDS = 5_000;
const only = values.only?.split(",") ?? null;

function report(title: string, tally: Tally): void {
  console.log(`${title}\n${describe(tally)}\n`);
  if (tally.broken.length > 0) process.exitCode = 1;
}

if (values.crashes || values.pairs) {
  for (const platform of only ?? PLATFORMS) {
    const crashes = values.pairs ? "pairs" : "singles";
    report(`${platform}, crashes at ${crashes}`, await spread(aTask({ crashes, only: [platform] })));
  }
}
const { mutant: one } = values;
if (values.mutants || one !== undefined) {
  await inTurn(
    Object.entries(MUTANTS).filter(([name]) => one === undefined || name.includes(one)),
    ([mutant, { only = null }]) => aTask({ mutant, only: only === null ? null : [...only], seeds: MUTANT_SEEDS }),
    ([name], { broken: [caught] }) => {
      console.log(caught ? `caught by ${caught.name}: ${name} (${caught.rules[0]})` : `NOT CAUGHT: ${name}`);
      if (caught === undefined) process.exitCode = 1;
    },
  );
}
if (values.seeds !== undefined || !(values.crashes || values.pairs || values.mutants || one !== undefined)) {
  const first = Number(values.seed ?? 1);
  const seeds = Number(values.seeds ?? (values.seed === undefined ? SEEDS : 1));
  const task = aTask({ first, seeds, only, trace: values.trace });
  report(`seeds ${first} to ${first + seeds - 1}`, await spread(task, seeds === 1 ? 1 : undefined));
}
