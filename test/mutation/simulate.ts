// The simulation as the test command of a mutation run: ends with 1 at the first schedule that is broken. What breaks most is
// looked for first.
import { aTask, perform } from "../deterministic-simulation/jobs.ts";
import { SCENARIOS } from "../deterministic-simulation/scenarios/index.ts";
import { FULL_FROM } from "../deterministic-simulation/shapes.ts";

const TASKS = [{ seeds: 60 }, { first: FULL_FROM, seeds: 40 }, { scenarios: Object.keys(SCENARIOS) }];

for (const task of TASKS) {
  const { broken } = await perform(aTask({ ...task, stops: true }));
  const [first] = broken;
  if (first === undefined) continue;
  console.log(`${first.name}: ${first.rules[0]}`);
  process.exitCode = 1;
  break;
}
