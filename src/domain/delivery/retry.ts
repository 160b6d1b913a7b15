// When to try again, and when to stop.
import { growingWaitMs } from "../growing-wait.ts";
import { DEADLINE_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";

/** Waits after a documented, retryable refusal: seven sends in all. */
const REFUSAL_DELAYS_MS = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/** Irrevocable calls that one delivery may make. */
export const SENDS_MAX = REFUSAL_DELAYS_MS.length + 1;
/** Looks for a send that had no answer, counted from the send. The first may only find it; the last gives up. */
const PROBE_OFFSETS_MS = [5_000, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/**
 * When a delivery that was refused for now is tried again, in epoch milliseconds; null when its tries or its day are
 * used up. `retries` counts the waits so far, `jitter` is in [0, 1) and spreads the wait by ±20 %. The first wait that a network
 * asks for (`notBefore`, epoch milliseconds) is as long as it asks. Later ones last as long as the wait of the table before
 * at least: a network that always asks for a second would be called all day.
 */
export function nextRetryAt(
  { retries, scheduledFor }: { retries: number; scheduledFor: number },
  { now, jitter }: { now: number; jitter: number },
  notBefore?: number,
): number | null {
  if (retries >= REFUSAL_DELAYS_MS.length) return null;
  const delay = REFUSAL_DELAYS_MS[notBefore === undefined ? retries : retries - 1] ?? 0;
  const at = Math.max(now + Math.round(delay * (0.8 + 0.4 * jitter)), notBefore ?? 0);
  return at > scheduledFor + DEADLINE_MS ? null : at;
}

/** When to search next for a send of `sentAt` that had no answer; null when the last search has been made. */
export function nextProbeAt(sentAt: number, now: number): number | null {
  const offset = PROBE_OFFSETS_MS.find((offset) => sentAt + offset > now);
  return offset === undefined ? null : sentAt + offset;
}

/** The last search for a send of `sentAt` that had no answer, unless the network puts it off. */
export const lastProbeAt = (sentAt: number): number => sentAt + Math.max(...PROBE_OFFSETS_MS);

/**
 * From this long after its send on, a post that its network could be asked for and does not show is given up as unknown: a call may
 * land ten minutes late, and hardly ever later. It is still searched for (verification.ts).
 */
const ABSENT_AFTER_MS = 15 * MINUTE_MS;
export const isAbsentForGood = (sentAt: number, now: number): boolean => now >= sentAt + ABSENT_AFTER_MS;

/** A network that prepares a post for a while is asked at least so rarely in the end, whatever it names. */
const PREPARING_POLL_MAX_MS = 30_000;

/** When to look again at a post that its network is preparing: at `askedFor`, and the longer it takes the later. */
export function nextPreparingAt(scheduledFor: number, now: number, askedFor: number): number {
  return Math.max(askedFor, now + growingWaitMs(now - scheduledFor, { minMs: 0, maxMs: PREPARING_POLL_MAX_MS }));
}

/** When to ask again about a post that the network is still processing: often at first, then every five minutes. */
export function nextPollAt(sentAt: number, now: number): number {
  return now + growingWaitMs(now - sentAt, { minMs: 5_000, maxMs: 5 * MINUTE_MS });
}
