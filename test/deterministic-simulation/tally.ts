// What many runs came to.
import type { ExcuseCounts } from "./excuses.ts";
import type { Outcome } from "./simulate.ts";

/** Deliveries of a run, or of many, by what became of them. */
export interface Counts {
  lost: number;
  duplicated: number;
  stuck: number;
  falseLive: number;
  falseFailed: number;
  unconfirmedExplained: number;
  unconfirmedUnexplained: number;
  /** Ended live. */
  live: number;
  /** Ended as drafts in inboxes. */
  handedOver: number;
  failed: number;
}

export const noCounts = (): Counts => ({
  lost: 0,
  duplicated: 0,
  stuck: 0,
  falseLive: 0,
  falseFailed: 0,
  unconfirmedExplained: 0,
  unconfirmedUnexplained: 0,
  live: 0,
  handedOver: 0,
  failed: 0,
});

interface Broken {
  /** What runs it again. */
  name: string;
  rules: string[];
}

export interface Tally extends Counts {
  runs: number;
  /** Calls of ports. */
  points: number;
  /** Why nobody knows of a delivery whether it is out: how often, and the first run in which it was so. */
  unknown: Record<string, { times: number; first: string }>;
  /** How often each kind of fault struck. */
  faults: Record<string, number>;
  broken: Broken[];
  /** By excuse of the judge: the deliveries that needed it. */
  excuses: ExcuseCounts;
  /** Of all that happened, in order: the same for the same seeds. */
  digest: number;
  /** Of one process; in parallel the longest. */
  seconds: number;
}

export const emptyTally = (): Tally => ({
  ...noCounts(),
  runs: 0,
  points: 0,
  unknown: {},
  faults: {},
  broken: [],
  excuses: {},
  digest: 0,
  seconds: 0,
});

const COUNTERS = [
  "lost",
  "duplicated",
  "stuck",
  "falseLive",
  "falseFailed",
  "unconfirmedExplained",
  "unconfirmedUnexplained",
  "live",
  "handedOver",
  "failed",
  "points",
] as const;

/** Adds one run. */
export function count(tally: Tally, name: string, outcome: Outcome): void {
  tally.runs++;
  tally.digest = (Math.imul(tally.digest, 31) + outcome.digest) | 0;
  for (const counter of COUNTERS) tally[counter] += outcome[counter];
  addTo(tally.excuses, outcome.excuses);
  for (const why of outcome.unknown) unknown(tally, why, 1, name);
  for (const kind of outcome.injected) tally.faults[kind] = (tally.faults[kind] ?? 0) + 1;
  if (outcome.broken.length > 0) tally.broken.push({ name, rules: outcome.broken });
}

function unknown(tally: Tally, why: string, times: number, first: string): void {
  const known = tally.unknown[why];
  tally.unknown[why] = { times: (known?.times ?? 0) + times, first: known?.first ?? first };
}

function addTo(counts: Record<string, number>, others: Record<string, number>): void {
  for (const [name, times] of Object.entries(others)) counts[name] = (counts[name] ?? 0) + times;
}

/** Adds what another process came to. */
export function add(tally: Tally, other: Tally): void {
  tally.runs += other.runs;
  for (const counter of COUNTERS) tally[counter] += other[counter];
  for (const [why, { times, first }] of Object.entries(other.unknown)) unknown(tally, why, times, first);
  addTo(tally.faults, other.faults);
  addTo(tally.excuses, other.excuses);
  tally.broken.push(...other.broken);
  tally.seconds = Math.max(tally.seconds, other.seconds);
}

/** As a person reads it. */
export function describe(tally: Tally): string {
  const struck = Object.values(tally.faults).reduce((sum, times) => sum + times, 0);
  const perSecond = tally.seconds === 0 ? 0 : tally.runs / tally.seconds;
  return [
    `schedules ${tally.runs}   ${perSecond.toFixed(0)} per second   ${tally.points} calls   ${struck} faults of ${Object.keys(tally.faults).length} kinds`,
    `lost ${tally.lost}   duplicated ${tally.duplicated}   stuck ${tally.stuck}   false-live ${tally.falseLive}   false-failed ${tally.falseFailed}`,
    `unconfirmed ${tally.unconfirmedExplained} explained, ${tally.unconfirmedUnexplained} unexplained   live ${tally.live}   handed over ${tally.handedOver}   failed ${tally.failed}`,
    ...Object.entries(tally.unknown).map(([why, { times, first }]) => `  unconfirmed ${times} × ${why} (${first})`),
    ...Object.entries(tally.excuses)
      .toSorted()
      .map(([excuse, times]) => `  excuse ${times} × ${excuse}`),
    ...tally.broken.slice(0, 20).map(({ name, rules }) => `BROKEN ${name}: ${rules.slice(0, 3).join("; ")}`),
  ].join("\n");
}
