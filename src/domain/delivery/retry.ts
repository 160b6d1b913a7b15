// When to try again, and when to stop.
import { growingWaitMs } from "../growing-wait.ts";
import { DEADLINE_MS, HOUR_MS, MINUTE_MS } from "../limits.ts";

/** Waits after a documented, retryable refusal: seven sends in all. */
const REFUSAL_DELAYS_MS = [30_000, 2 * MINUTE_MS, 10 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 6 * HOUR_MS];
/**
 * When the same number of tries comes, counted from the delivery's time, where a network counts the last 24 hours: what fills them was
 * published before, so there is room within the delivery's day. The last try leaves its call the time that a busy lane may take.
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
/** Looks for a send that had no answer, counted from the send. The first may only find it; the last gives up. */
const PROBE_OFFSETS_MS = [5_000, 2 * MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS];

/** What a network says of the wait after a refusal; see `Retryable`. */
interface AskedWait {
  notBefore?: number;
  isOfDay?: boolean;
}

/**
 * When a delivery that was refused for now is tried again, in epoch milliseconds; null when its tries or its day are
 * used up. `retries` counts the waits so far, `jitter` is in [0, 1) and spreads the wait by ±20 %. The first wait that a network
 * asks for (`notBefore`, epoch milliseconds) is as long as it asks. Later ones last as long as the wait of the table before
 * at least: a network that always asks for a second would be called all day. A quota of 24 hours spreads the tries over the day.
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
