// The results of many runs.
import type { Outcome } from "./simulate.ts";

/** By cause: the deliveries that it explains. */
export type CauseCounts = Record<string, number>;

/** The deliveries of one or more runs, by outcome. */
export interface Counts {
  lost: number;
  duplicated: number;
  stuck: number;
  falseLive: number;
  falseFailed: number;
  unconfirmedExplained: number;
  unconfirmedUnexplained: number;
  /** Deliveries that ended live. */
  live: number;
  /** Deliveries that ended as drafts in an inbox. */
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
  /** The arguments that run it again. */
  name: string;
  rules: string[];
}

export interface Tally extends Counts {
  runs: number;
  /** Calls of ports. */
  points: number;
  /** Causes of unknown outcomes: how often, and the first run. */
  unknown: Record<string, { times: number; first: string }>;
  /** How often each kind of fault struck. */
  faults: Record<string, number>;
  broken: Broken[];
  /** Explained failures and unknown outcomes, by cause. */
  causes: CauseCounts;
  /** A digest of all calls in order. The same seeds have the same digest. */
  digest: number;
  /** The duration in one process; of parallel processes, the longest. */
  seconds: number;
}

export const emptyTally = (): Tally => ({
  ...noCounts(),
  runs: 0,
  points: 0,
  unknown: {},
  faults: {},
  broken: [],
  causes: {},
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
  addTo(tally.causes, outcome.causes);
  for (const reason of outcome.unknown) unknown(tally, reason, 1, name);
  for (const kind of outcome.injected) tally.faults[kind] = (tally.faults[kind] ?? 0) + 1;
  if (outcome.broken.length > 0) tally.broken.push({ name, rules: outcome.broken });
}

function unknown(tally: Tally, reason: string, times: number, first: string): void {
  const known = tally.unknown[reason];
  tally.unknown[reason] = { times: (known?.times ?? 0) + times, first: known?.first ?? first };
}

/** Adds counts to others. */
export function addTo(counts: Record<string, number>, added: Record<string, number>): void {
  for (const [name, times] of Object.entries(added)) counts[name] = (counts[name] ?? 0) + times;
}

/** Adds the results of another process. */
export function add(tally: Tally, other: Tally): void {
  tally.runs += other.runs;
  for (const counter of COUNTERS) tally[counter] += other[counter];
  for (const [reason, { times, first }] of Object.entries(other.unknown)) unknown(tally, reason, times, first);
  addTo(tally.faults, other.faults);
  addTo(tally.causes, other.causes);
  tally.broken.push(...other.broken);
  tally.seconds = Math.max(tally.seconds, other.seconds);
}

/** The results in readable form. */
export function describe(tally: Tally): string {
  const struck = Object.values(tally.faults).reduce((sum, times) => sum + times, 0);
  const perSecond = tally.seconds === 0 ? 0 : tally.runs / tally.seconds;
  return [
    `schedules ${tally.runs}   ${perSecond.toFixed(0)} per second   ${tally.points} calls   ${struck} faults of ${Object.keys(tally.faults).length} kinds`,
    `lost ${tally.lost}   duplicated ${tally.duplicated}   stuck ${tally.stuck}   false-live ${tally.falseLive}   false-failed ${tally.falseFailed}`,
    `unconfirmed ${tally.unconfirmedExplained} explained, ${tally.unconfirmedUnexplained} unexplained   live ${tally.live}   handed over ${tally.handedOver}   failed ${tally.failed}`,
    ...Object.entries(tally.unknown).map(
      ([reason, { times, first }]) => `  unconfirmed ${times} × ${reason} (${first})`,
    ),
    ...Object.entries(tally.causes)
      .toSorted()
      .map(([cause, times]) => `  ${times} × ${cause}`),
    ...tally.broken.slice(0, 20).map(({ name, rules }) => `BROKEN ${name}: ${rules.slice(0, 3).join("; ")}`),
  ].join("\n");
}
