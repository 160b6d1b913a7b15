// `npm run simulate -- --seeds 5000 [--seed 1] [--only bluesky,x] [--crashes] [--pairs] [--mutants] [--trace] [--json]`
import { parseArgs } from "node:util";
import { machineNow, say } from "./ground.ts";
import { hookLoading } from "./loading.ts";

hookLoading([]);
const { Simulation } = await import("./simulate.ts");

const { values } = parseArgs({
  options: {
    seeds: { type: "string", default: "1000" },
    seed: { type: "string", default: "1" },
    only: { type: "string" },
    trace: { type: "boolean", default: false },
    repeat: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
  },
});
const simulation = await Simulation.create();
const only = values.only?.split(",");
const first = Number(values.seed);
const startedAt = machineNow();
const total: Record<string, number> = {};
let failed = 0;
for (let seed = first; seed < first + Number(values.seeds); seed++) {
  const outcome = await simulation.seed(seed, only);
  if (values.repeat) {
    const again = await simulation.seed(seed, only);
    if (again.digest !== outcome.digest) { say(`seed ${seed} is not the same twice`);
      const i = outcome.trace.findIndex((line, i) => line !== again.trace[i]);
      say(`${outcome.trace[i]}\n${again.trace[i]}`); }
  }
  for (const [name, value] of Object.entries(outcome)) if (typeof value === "number" && name !== "digest") total[name] = (total[name] ?? 0) + value;
  for (const kind of outcome.injected) total[`  ${kind}`] = (total[`  ${kind}`] ?? 0) + 1;
  if (values.trace) say(outcome.trace.join("\n"));
  if (outcome.broken.length > 0) {
    failed++;
    say(`seed ${seed}: ${outcome.broken.join("; ")}`);
    if (!values.keep && failed >= 10) break;
  }
}
const seconds = (machineNow() - startedAt) / 1000;
say(JSON.stringify({ seconds, failed, ...total }, null, 1));
