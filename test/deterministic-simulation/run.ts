// `npm run simulate`: parses the arguments, runs the schedules and prints the results. Exits with 1 if a schedule is broken.
import { readArguments } from "../../scripts/arguments.ts";
import { PLATFORMS } from "./classes.ts";
import { PATHS } from "./enumerating.ts";
import { keepCaught, caught as known, mutantTask, performAll, spread } from "./jobs.ts";
import { MUTANTS } from "./mutants.ts";
import { watchRun } from "./progress.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { describe, type Tally } from "./tally.ts";
import { aTask } from "./task.ts";

const USAGE = `npm run simulate -- [OPTION]...
  --seeds N [--seed S] [--only bluesky,x]   N schedules from S on, each decided by its seed; from 1000000 on of full runs,
                                            from 20000000 on of wide ones, from 76000000 on of those in which posts
                                            repeat, from 80000000 on of those in which the month turns (from
                                            84000000 on with repeating posts); prints a line after each 500, each broken
                                            one at once, and when a signal ends it what it has done so far
  --scenarios | --scenario "Telegram hangs"  the schedules of scenarios/ whose name has that text
  --crashes | --pairs                       the golden path of each network with a crash at every call, or at every two
  --enumerate                               every kind of fault at every call of the golden paths of enumerating.ts
  --mutants | --mutant "Retry-After"        plants the bugs of mutants.ts and tells the schedule that caught each
  --missing                                 with --mutants: those that nobody has caught yet
  --trace                                   all that happened, call by call (with --seed S and one seed)
  --help                                    prints this`;

const { values } = readArguments(
  {
    options: {
      help: { type: "boolean", default: false },
      seeds: { type: "string" },
      seed: { type: "string" },
      only: { type: "string" },
      crashes: { type: "boolean", default: false },
      enumerate: { type: "boolean", default: false },
      pairs: { type: "boolean", default: false },
      mutants: { type: "boolean", default: false },
      mutant: { type: "string" },
      missing: { type: "boolean", default: false },
      scenarios: { type: "boolean", default: false },
      scenario: { type: "string" },
      trace: { type: "boolean", default: false },
    },
  },
  USAGE,
);
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}

const SEEDS = 1_000;
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
if (values.enumerate) {
  const title = "every fault at every call";
  report(title, await spread(aTask({ paths: Object.keys(PATHS) }), { watch: watchRun(title) }));
}
const { scenario: text = "" } = values;
const isNamed = values.scenarios || values.scenario !== undefined;
if (isNamed) {
  await performAll(
    Object.keys(SCENARIOS).filter((name) => name.includes(text)),
    (name) => aTask({ scenarios: [name], trace: values.trace }),
    (name, { broken: [broken] }) => {
      console.log(
        broken === undefined ? `fine    ${name}` : `BROKEN  ${name}: ${broken.rules.length} x ${broken.rules[0]}`,
      );
      if (broken !== undefined) process.exitCode = 1;
    },
  );
}
const { mutant: mutantText } = values;
if (values.mutants || mutantText !== undefined) {
  const all = Object.keys(MUTANTS).filter(
    (name) => (mutantText === undefined || name.includes(mutantText)) && !(values.missing && name in known),
  );
  await performAll(all, mutantTask, (name, { runs, broken: [caught] }) => {
    const result = caught ? `caught by ${caught.name}, schedule ${runs}` : "NOT CAUGHT";
    console.log(`${result}: ${name}${caught ? ` (${caught.rules[0]})` : ""}`);
    if (caught === undefined) process.exitCode = 1;
    else {
      known[name] = caught.name;
      keepCaught();
    }
  });
}
if (
  values.seeds !== undefined ||
  !(isNamed || values.enumerate || values.crashes || values.pairs || values.mutants || mutantText !== undefined)
) {
  const first = Number(values.seed ?? 1);
  const seeds = Number(values.seeds ?? (values.seed === undefined ? SEEDS : 1));
  const task = aTask({ first, seeds, only, trace: values.trace });
  const title = `seeds ${first} to ${first + seeds - 1}`;
  const cores = seeds === 1 ? { cores: 1 } : {};
  report(title, await spread(task, { ...cores, watch: watchRun(title) }));
}
