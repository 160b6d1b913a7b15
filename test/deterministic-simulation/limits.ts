// The platform's numbers, as the simulation keeps them (production.md 1).
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

/** What D1 says when it says nothing else. */
export const D1_ERRORS = {
  lost: "D1_ERROR: Network connection lost.",
  overloaded: "D1_ERROR: D1 DB is overloaded. Requests queued for too long.",
  reset: "D1_ERROR: Internal error in D1 storage caused object to be reset.",
  tooMany: "D1_ERROR: Too many API requests by single worker invocation.",
} as const;
