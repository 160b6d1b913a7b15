// When to try again, and when to stop.
import { DEADLINE_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";

/** Waits after a documented, retryable refusal: seven sends in all. */
const REFUSAL_DELAYS_MS = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/** Irrevocable calls that one delivery may make. */
export const SENDS_MAX = REFUSAL_DELAYS_MS.length + 1;
/** Looks for a send that had no answer, counted from the send. The first may only find it; the last gives up. */
const PROBE_OFFSETS_MS = [5_000, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/**
 * When a delivery that was refused for now is tried again, in epoch milliseconds; null when its tries or its day are
 * used up. `retries` counts the waits so far, `jitter` is in [0, 1) and spreads the wait by ±20 %.
 */
export function nextRetryAt(retries: number, scheduledFor: number, now: number, jitter: number): number | null {
  const delay = REFUSAL_DELAYS_MS[retries];
  if (delay === undefined) return null;
  const at = now + Math.round(delay * (0.8 + 0.4 * jitter));
  return at > scheduledFor + DEADLINE_MS ? null : at;
}

/** When to search next for a send of `sentAt` that had no answer; null when the last search has been made. */
export function nextProbeAt(sentAt: number, now: number): number | null {
  const offset = PROBE_OFFSETS_MS.find((offset) => sentAt + offset > now);
  return offset === undefined ? null : sentAt + offset;
}

/** When to ask again about a post that the network is still processing: often at first, then every five minutes. */
export function nextPollAt(sentAt: number, now: number): number {
  return now + Math.min(5 * MINUTE_MS, Math.max(5_000, (now - sentAt) / 4));
}
