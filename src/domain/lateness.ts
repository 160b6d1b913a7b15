// Counts deliveries in buckets by how late they went out, so that a few numbers describe any number of deliveries.
import type { DeliveryDecision } from "./delivery/decide-outcome.ts";
import type { DeliveryState } from "./delivery/transitions.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./limits.ts";

const S = 1_000;

/** The upper bound of each bucket's lateness, in milliseconds. One more bucket counts deliveries above the last bound. */
export const LATENESS_BOUNDS_MS = [
  ...[100, 200, 300, 500, 700],
  ...[1, 1.5, 2, 3, 4, 5, 7, 10, 15, 20, 30, 45].map((seconds) => seconds * S),
  ...[1, 1.5, 2, 3, 5, 7, 10, 15, 20, 30, 45].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_MS),
  // Deliveries later than this are not sent.
  DAY_MS,
];

/** The length of a slot whose deliveries are counted together, in milliseconds. */
export const OUTCOME_SLOT_MS = 5 * MINUTE_MS;
const SLOTS_OF_AN_HOUR = HOUR_MS / OUTCOME_SLOT_MS;
/** How many of the last slots describe the present. A single slot may have just begun and say little. */
const SLOTS_OF_NOW = 3;
/** How many tries on a network must have failed before the network counts as failing. */
const FAILED_MIN = 3;

const FAILED = "failed";

/** The outcomes of all networks' deliveries in one slot: counts by `<platform> <bucket>` and `<platform> failed`. */
export interface OutcomeSlot {
  slot: number;
  counts: Record<string, number>;
}

export interface NetworkOutcomes {
  /** Deliveries that went out in the last hour. */
  published: number;
  /** Tries in the last hour that failed because the network did not answer or was unavailable. */
  failedTries: number;
  /** The median lateness in milliseconds (the bound of its bucket); null if no delivery went out. */
  p50Ms: number | null;
  p99Ms: number | null;
  /** Whether at least half of the last tries failed. */
  isFailing: boolean;
}

const toSlot = (now: number) => Math.floor(now / OUTCOME_SLOT_MS);

/** A delivery at the end of a session. Instants are in epoch milliseconds. */
interface Ended {
  platform: string;
  /** The state before the decision. */
  state: DeliveryState;
  scheduledFor: number;
  /** When the call to the network began; null if unknown. */
  sentAt: number | null;
  now: number;
}

/** The name under which a decision is counted; null if it is not counted. */
export function outcomeName(
  { platform, state, scheduledFor, sentAt, now }: Ended,
  decision: Pick<DeliveryDecision, "live" | "error" | "state">,
): string | null {
  if (decision.live !== undefined) {
    const lateMs = (sentAt ?? now) - scheduledFor;
    return `${platform} ${LATENESS_BOUNDS_MS.filter((bound) => bound < lateMs).length}`;
  }
  // A call without an answer also counts as the network's failure.
  const isUnanswered = state === "sending" && ["reconciling", "outcome_unknown"].includes(decision.state);
  return isUnanswered || decision.error === "network_unavailable" ? `${platform} ${FAILED}` : null;
}

/** The slots of the last hour, with the counts at `now` added. */
export function addToSlots(slots: readonly OutcomeSlot[], counts: Record<string, number>, now: number): OutcomeSlot[] {
  const slot = toSlot(now);
  const recentSlots = slots.filter((outcomeSlot) => outcomeSlot.slot >= slot - SLOTS_OF_AN_HOUR);
  if (Object.keys(counts).length === 0) return recentSlots;
  const sums = { ...recentSlots.find((outcomeSlot) => outcomeSlot.slot === slot)?.counts };
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
  return [...recentSlots.filter((outcomeSlot) => outcomeSlot.slot !== slot), { slot, counts: sums }];
}

/** The statistics of a network from the slots of the last hour. `now`: epoch milliseconds. */
export function summarizeOutcomes(platform: string, slots: readonly OutcomeSlot[], now: number): NetworkOutcomes {
  const recent = slots.filter(({ slot }) => slot > toSlot(now) - SLOTS_OF_NOW);
  const buckets = sumBuckets(platform, slots);
  const [publishedNow, failedNow] = [sum(sumBuckets(platform, recent)), failedIn(platform, recent)];
  return {
    published: sum(buckets),
    failedTries: failedIn(platform, slots),
    p50Ms: percentile(buckets, 0.5),
    p99Ms: percentile(buckets, 0.99),
    isFailing: failedNow >= FAILED_MIN && failedNow >= publishedNow,
  };
}

const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);

const failedIn = (platform: string, slots: readonly OutcomeSlot[]) =>
  sum(slots.map(({ counts }) => counts[`${platform} ${FAILED}`] ?? 0));

const sumBuckets = (platform: string, slots: readonly OutcomeSlot[]): number[] =>
  Array.from({ length: LATENESS_BOUNDS_MS.length + 1 }, (_, bucket) =>
    sum(slots.map(({ counts }) => counts[`${platform} ${bucket}`] ?? 0)),
  );

/** The upper bound of the first bucket up to which at least `fraction` of all deliveries are counted. */
function percentile(buckets: readonly number[], fraction: number): number | null {
  const total = sum(buckets);
  if (total === 0) return null;
  let cumulativeCount = 0;
  const bucket = buckets.findIndex((count) => {
    cumulativeCount += count;
    return cumulativeCount >= fraction * total;
  });
  return LATENESS_BOUNDS_MS[bucket] ?? DAY_MS;
}
