// The waits that networks ask for, because of a fault's 429 or of their own rate limits.
import type { Span } from "./history.ts";
import type { Channel } from "./wanted.ts";
import type { Injected, World } from "./world.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY_MS = 24 * HOUR;

/** How far clocks differ, plus the time from a call to the write of its row. */
const MOMENT_MS = 5 * SECOND;
/** A network that asks for a longer wait is asked again after this one. */
const ASKED_WAIT_MAX_MS = 6 * HOUR;
/** Networks with daily limits that end at midnight UTC. */
const UNTIL_MIDNIGHT = ["linkedin"];
/** How long connectors leave a channel alone if its network's 429 names no time. Other networks are retried by the table. */
const OWN_WAIT_MS: Record<string, number> = {
  bluesky: MINUTE,
  instagram: 15 * MINUTE,
  threads: 15 * MINUTE,
  x: 15 * MINUTE,
  facebook: HOUR,
  pinterest: MINUTE,
  tiktok: MINUTE,
};

/** The waits that a network asked a channel for, each from its answer on. */
export function askedWaits({ injected, wires }: World, channel: Channel): Span[] {
  const wait = (at: number, ms: number | null): Span[] => (ms === null ? [] : [{ from: at, to: at + ms + MOMENT_MS }]);
  const faults = injected.flatMap((fault) =>
    fault.subject?.channel === channel.id ? wait(fault.at, askedWaitMs(fault, channel)) : [],
  );
  const rates = wires.calls.flatMap(({ subject, status, isStruck, endedAt, retryAfterMs }) =>
    subject?.channel === channel.id && status === 429 && !isStruck && endedAt !== null
      ? wait(endedAt, retryAfterMs ?? OWN_WAIT_MS[channel.platform] ?? null)
      : [],
  );
  return [...faults, ...rates];
}

/** How long a 429 pauses the channel; null: it is retried by the table, or the fault is no 429. */
function askedWaitMs({ kind, at, ms }: Injected, { platform }: Channel): number | null {
  if (kind !== "wire_429") return null;
  if (ms > 0) return Math.min(ms, ASKED_WAIT_MAX_MS);
  if (UNTIL_MIDNIGHT.includes(platform)) return DAY_MS - (at % DAY_MS);
  return OWN_WAIT_MS[platform] ?? null;
}
