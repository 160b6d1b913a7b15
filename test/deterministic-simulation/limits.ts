// The platform's numbers, as the simulation keeps them (production.md 1).
import { PASSING, UNDONE } from "../support/d1-errors.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Queue consumers and alarms. */
export const WALL_MS = 15 * MINUTE;
/** Trips to D1 of one invocation. */
export const QUERIES_MAX = 1_000;
/** Connections that wait for an answer, of one invocation or one object's run. */
export const CONNECTIONS_MAX = 6;
/** As in wrangler.toml: deliveries of a message after the first. */
export const QUEUE_RETRIES = 3;
export const CONSUMERS_MAX = 250;
/** An alarm that fails is tried again so often, after 2 s doubling; then nobody calls it any more. */
export const ALARM_RETRIES = 6;
export const ALARM_BACKOFF_MS = 2 * SECOND;
/** The longest that D1 works on a query. */
export const QUERY_MS = 30 * SECOND;

/** What D1 says to an invocation that has no round trips left. */
export const TOO_MANY_QUERIES = "D1_ERROR: Too many API requests by single worker invocation.";

/** What D1 says where the statements were not carried out, and where they may have been. */
export const NOT_CARRIED_OUT = [
  PASSING.overloaded,
  PASSING.queueFull,
  PASSING.starting,
  PASSING.unresolved,
  ...UNDONE,
] as const;
export const UNCERTAIN = [
  PASSING.lost,
  PASSING.updated,
  PASSING.reset,
  PASSING.disconnected,
  PASSING.timeout,
  PASSING.memory,
  PASSING.cpu,
] as const;

/** One of D1's texts. The instant decides which: a draw would make other schedules of the seeds that are kept. */
export function databaseError(now: number, when: "before" | "after"): string {
  const texts = when === "before" ? [...NOT_CARRIED_OUT, ...UNCERTAIN] : UNCERTAIN;
  return texts[now % texts.length] ?? PASSING.lost;
}
