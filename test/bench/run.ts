// `npm run bench`: how late deliveries start, how many are published per second, and what they cost, on this machine
// against the simulators, which answer at once. With `--against DIR`, another checkout of the repository is measured
// in the same run, alternating between both. All state is in new folders that are deleted at the end. Linux only.
import { availableParallelism, cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { whenStopped } from "../../scripts/local/when-stopped.ts";
import { ActivityMeter } from "./activities.ts";
import { type Engine, startEngine } from "./engine.ts";
import { freeTable } from "./free-plan.ts";
import { monthTable } from "./months.ts";
import { Phases, type Size } from "./phases.ts";
import { type Results, statementLines, table } from "./print.ts";

const { values } = parseArgs({
  options: {
    /** A folder with another release and its installed modules. */
    against: { type: "string" },
    /** The number of rounds. The median is printed. */
    rounds: { type: "string", default: "1" },
    /**
     * The measurements to run, of `steady,burst,spread,wide,price4,price1,recheck,activities`. `recheck` rechecks the
     * posts that were published before it. `free` measures only what one person uses of a free Cloudflare account.
     */
    only: { type: "string", default: "steady,burst,spread,wide,price4,price1,recheck,activities" },
    deliveries: { type: "string", default: "2000" },
    channels: { type: "string", default: "200" },
    workspaces: { type: "string", default: "50" },
    /** The channels of a post in the burst. */
    "per-post": { type: "string", default: "4" },
    rate: { type: "string", default: "50" },
    seconds: { type: "string", default: "20" },
    creates: { type: "string", default: "500" },
    spread: { type: "string", default: "2000" },
    wide: { type: "string", default: "500" },
    priced: { type: "string", default: "400" },
    /** While costs are measured: the milliseconds of a call to a network, and those that are added to a round trip to the database. */
    "answer-ms": { type: "string", default: "300" },
    "round-trip-ms": { type: "string", default: "10" },
    /** The number of posts that were published before. Each number gets its own run. */
    finished: { type: "string", default: "0" },
    /** Whether to print the rows that each statement wrote. */
    statements: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});
const only = new Set(values.only.split(","));
const size: Size = {
  deliveries: Number(values.deliveries),
  channels: Number(values.channels),
  workspaces: Number(values.workspaces),
  perPost: Number(values["per-post"]),
  rate: Number(values.rate),
  seconds: Number(values.seconds),
  creates: Number(values.creates),
  spread: only.has("spread") ? Number(values.spread) : 0,
  wide: only.has("wide") ? Number(values.wide) : 0,
  priced: Number(values.priced),
  answerMs: Number(values["answer-ms"]),
  roundTripMs: Number(values["round-trip-ms"]),
  pricedEveryMs: 50,
};

const engines: Engine[] = [];
async function stop(): Promise<void> {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
}
whenStopped(() => void stop().finally(() => process.exit(1)));

const progress = (line: string) => {
  if (!values.json) console.error(`${new Date().toISOString().slice(11, 19)} ${line}`);
};

async function measureAll(finished: number): Promise<Results[]> {
  const runs: { phases: Phases; results: Results }[] = [];
  for (const [name, folder] of [
    ["now", undefined] as const,
    ...(values.against ? [["before", values.against] as const] : []),
  ]) {
    const engine = await startEngine(name, folder);
    engines.push(engine);
    const results: Results = {
      name,
      creates: [],
      steady: [],
      burst: [],
      spread: [],
      wide: [],
      price4: [],
      price1: [],
      recheck: [],
      activities: [],
    };
    runs.push({ phases: await Phases.prepare(engine, size, finished), results });
    progress(`${name}: ready`);
  }
  const each = async (name: string, measure: (run: (typeof runs)[number]) => Promise<unknown>) => {
    for (const run of runs) {
      const measurement = await measure(run);
      progress(`${run.results.name}: ${name} ${JSON.stringify(measurement).slice(0, 160)}`);
    }
    // The order is reversed in each round.
    runs.reverse();
  };
  const push = <Value>(list: Value[], value: Value): Value => {
    list.push(value);
    return value;
  };
  for (let round = 0; round < Number(values.rounds); round++) {
    await each("creates", async ({ phases, results }) => push(results.creates, await phases.creates()));
    if (only.has("steady")) await each("steady", async (o) => push(o.results.steady, await o.phases.steady()));
    if (only.has("burst")) await each("burst", async (o) => push(o.results.burst, await o.phases.burst()));
    if (only.has("spread")) await each("spread", async (o) => push(o.results.spread, await o.phases.spreadBurst()));
    if (only.has("wide")) await each("wide", async (o) => push(o.results.wide, await o.phases.wideBurst()));
    if (only.has("price4")) await each("price4", async (o) => push(o.results.price4, await o.phases.priced(4)));
    if (only.has("price1")) await each("price1", async (o) => push(o.results.price1, await o.phases.priced(1)));
    if (only.has("recheck")) await each("recheck", async (o) => push(o.results.recheck, await o.phases.rechecked()));
    if (only.has("activities"))
      await each("activities", async (o) => push(o.results.activities, await measureActivities(o.phases.engine)));
  }
  return runs.map(({ results }) => results).toSorted((a) => (a.name === "now" ? -1 : 1));
}

const measureActivities = async (engine: Engine) => (await ActivityMeter.prepare(engine, size)).measureAll();

/** The usage of one person with an account on Workers Free: one workspace, whose posts share nothing. */
async function measureFree(): Promise<string> {
  const engine = await startEngine("free", undefined, { ACCOUNT_PLAN: "free" });
  engines.push(engine);
  const freeSize = {
    ...size,
    workspaces: 1,
    channels: 4,
    spread: 0,
    wide: 0,
    creates: 4,
    priced: 40,
    pricedEveryMs: 3_000,
  };
  const phases = await Phases.prepare(engine, freeSize, 0);
  await phases.creates();
  progress("free: deliveries");
  const delivery = (await phases.priced(4)).use;
  progress("free: rechecks");
  const recheck = (await phases.rechecked()).use;
  progress("free: activities");
  return freeTable({ delivery, recheck, activities: await measureActivities(engine) });
}

const [processor] = cpus();
if (!values.json)
  console.log(`${availableParallelism()} processors (${processor?.model.trim()}), load ${loadavg()[0]?.toFixed(1)}`);
try {
  if (only.has("free")) console.log(await measureFree());
  else
    for (const finished of values.finished.split(",").map(Number)) {
      const results = await measureAll(finished);
      await stop();
      if (values.json) console.log(JSON.stringify({ size, finished, results }, null, 2));
      else console.log(`${table(size, finished, results)}\n${monthTable(results)}`);
      if (values.statements) console.log(statementLines(results));
    }
} finally {
  await stop();
}
