// When to retry, and when to stop.
import { growingWaitMs } from "../growing-wait.ts";
import { DEADLINE_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";

/** Waits after a documented, retryable refusal: seven sends in all. */
const REFUSAL_DELAYS_MS = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/**
 * The times of the same number of tries, counted from the delivery's time, for a network that counts the last 24 hours. The
 * posts that fill the quota were published before, so there is room again within the delivery's day. The last try leaves its
 * call the time that a busy lane may need.
 */
const FULL_DAY_OFFSETS_MS = [
  HOUR_MS,
  2 * HOUR_MS,
  4 * HOUR_MS,
  8 * HOUR_MS,
  16 * HOUR_MS,
  DEADLINE_MS - 10 * MINUTE_MS,
];
/** Irrevocable calls that one delivery may make. */
export const SENDS_MAX = REFUSAL_DELAYS_MS.length + 1;
/**
 * When a call without an answer is reconciled, counted from the call. The first time may only find the post; the last time
 * gives up.
 */
const PROBE_OFFSETS_MS = [5_000, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/** The wait that a network asks for after a refusal; see `Retryable`. */
interface AskedWait {
  notBefore?: number;
  isOfDay?: boolean;
}

/**
 * Returns when a delivery that was refused temporarily is retried, in epoch milliseconds, or null if its tries or its day are
 * used up. `retries` counts the waits so far; `jitter` is in [0, 1) and spreads the wait by ±20 %. The first wait that a
 * network asks for (`notBefore`, epoch milliseconds) is as long as it asks. Later waits last at least as long as the table's
 * previous wait, because a network that always asks for a second would otherwise be called all day. A quota of 24 hours
 * spreads the tries over the day.
 */
export function nextRetryAt(
  { retries, scheduledFor }: { retries: number; scheduledFor: number },
  { now, jitter }: { now: number; jitter: number },
  { notBefore, isOfDay = false }: AskedWait = {},
): number | null {
  if (retries >= REFUSAL_DELAYS_MS.length) return null;
  const delay = REFUSAL_DELAYS_MS[notBefore === undefined ? retries : retries - 1] ?? 0;
  const next = isOfDay
    ? scheduledFor + (FULL_DAY_OFFSETS_MS[retries] ?? 0)
    : now + Math.round(delay * (0.8 + 0.4 * jitter));
  const at = Math.max(next, now, notBefore ?? 0);
  return at > scheduledFor + DEADLINE_MS ? null : at;
}

/** Returns when to reconcile next a call of `sentAt` that had no answer, or null after the last time. */
export function nextProbeAt(sentAt: number, now: number): number | null {
  const offset = PROBE_OFFSETS_MS.find((offset) => sentAt + offset > now);
  return offset === undefined ? null : sentAt + offset;
}

/** When a call of `sentAt` without an answer is reconciled for the last time, unless the network puts that off. */
export const lastProbeAt = (sentAt: number): number => sentAt + Math.max(...PROBE_OFFSETS_MS);

/**
 * A post that its network could be asked for and does not show is given up as unknown this long after its call: a call may
 * take effect ten minutes late, and hardly ever later. It is still searched for (recheck.ts).
 */
const ABSENT_AFTER_MS = 15 * MINUTE_MS;
export const isAbsentForGood = (sentAt: number, now: number): boolean => now >= sentAt + ABSENT_AFTER_MS;

/** The longest interval for asking about a post that the network is preparing, even if the network names a longer one. */
const PREPARING_POLL_MAX_MS = 30_000;

/** When to ask again about a post that its network is preparing: at `askedFor`, and later the longer it takes. */
export function nextPreparingAt(scheduledFor: number, now: number, askedFor: number): number {
  return Math.max(askedFor, now + growingWaitMs(now - scheduledFor, { minMs: 0, maxMs: PREPARING_POLL_MAX_MS }));
}

/** When to ask again about a post that the network is still processing: often at first, then every five minutes. */
export function nextPollAt(sentAt: number, now: number): number {
  return now + growingWaitMs(now - sentAt, { minMs: 5_000, maxMs: 5 * MINUTE_MS });
}
