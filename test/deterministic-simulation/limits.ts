// The platform's limits in the simulation.
import { PASSING, UNDONE } from "../support/d1-errors.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The longest run of a queue consumer or an alarm. */
export const WALL_MS = 15 * MINUTE;
/** The most round trips to D1 of one invocation. */
export const QUERIES_MAX = 1_000;
/** The most open connections of one invocation, or of one run of an object. */
export const CONNECTIONS_MAX = 6;
/** As in wrangler.toml: how often a message is delivered again. */
export const QUEUE_RETRIES = 3;
export const CONSUMERS_MAX = 250;
/** How often a failed alarm is repeated, after 2 s and then twice as long each time. After that, it never rings again. */
export const ALARM_RETRIES = 6;
export const ALARM_BACKOFF_MS = 2 * SECOND;
/** The longest time that D1 works on a query. */
export const QUERY_MS = 30 * SECOND;

/** D1's error for an invocation that has no round trips left. */
export const TOO_MANY_QUERIES = "D1_ERROR: Too many API requests by single worker invocation.";

/** D1's errors if the statements were not carried out, and if they may have been. */
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

/** One of D1's error texts. The time selects it, because a random draw would change the schedules of the kept seeds. */
export function databaseError(now: number, when: "before" | "after"): string {
  const texts = when === "before" ? [...NOT_CARRIED_OUT, ...UNCERTAIN] : UNCERTAIN;
  return texts[now % texts.length] ?? PASSING.lost;
}
