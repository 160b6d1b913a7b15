// `npm run chaos`: see chaos.ts. Prints its counts. The exit code is 0 if no promise was broken.
import { parseArgs } from "node:util";
import { whenStopped } from "../../../scripts/local/when-stopped.ts";
import { runChaos } from "./chaos.ts";
import { listViolations } from "./verdict.ts";

const { values } = parseArgs({
  options: {
    posts: { type: "string", default: "300" },
    kills: { type: "string", default: "12" },
    seconds: { type: "string", default: "600" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
  },
});
const number = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (!Number.isSafeInteger(value) || value < 0) {
    console.error(`--${name} must be a whole number`);
    process.exit(2);
  }
  return value;
};

const stop = new AbortController();
whenStopped(() => stop.abort(new Error("stopped")));

const result = await runChaos({
  posts: number("posts"),
  kills: number("kills"),
  seconds: number("seconds"),
  seed: number("seed"),
  stopped: stop.signal,
  tell: (line) => console.error(line),
}).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(stop.signal.aborted ? 130 : 1);
});

const { verdict, kills, sendsCutOff, faultsMet, repeatedCalls, miscounted, brokenInvariants, seconds } = result;
const { violations, ...counts } = verdict;
const figures: Record<string, number> = {
  ...counts,
  ...Object.fromEntries(Object.entries(violations).map(([kind, lines]) => [kind, lines.length])),
  miscounted: miscounted.length,
  brokenInvariants: brokenInvariants.length,
  kills,
  sendsCutOff,
  faultsMet,
  repeatedCalls,
  seconds,
};
for (const [name, figure] of Object.entries(figures)) {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  console.log(`${words.padEnd(26)} ${figure}`);
}
const broken = [...listViolations(verdict), ...miscounted.map((line) => `miscounted: ${line}`), ...brokenInvariants];
for (const line of broken) console.log(line);
process.exit(broken.length === 0 ? 0 : 1);
