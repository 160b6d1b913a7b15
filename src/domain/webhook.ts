// The schedule of retries, and the meaning of an endpoint's answers: Standard Webhooks 1.0.0 with its recommended schedule.
import { DAY_MS, HOUR_MS, MINUTE_MS } from "./limits.ts";

/** Waits after each attempt but the last: ten attempts over 75 h 35 min, each wait ±20 %. */
export const WEBHOOK_WAITS_MS: readonly number[] = [
  5_000,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];
export const WEBHOOK_ATTEMPTS_MAX = WEBHOOK_WAITS_MS.length + 1;
/** The minimum wait after an endpoint reports overload or times out. */
const PRESSURE_WAIT_MS = MINUTE_MS;
/** An endpoint that has acknowledged nothing for this long, however often it was tried, is switched off. */
export const FAILING_MAX_MS = 5 * DAY_MS;
/** How long finished messages and the log of their attempts are kept. */
export const WEBHOOK_LOG_MS = 30 * DAY_MS;
/** How long a replaced secret still signs, and how many replaced secrets there can be. */
export const PREVIOUS_SECRET_LIFE_MS = DAY_MS;
export const PREVIOUS_SECRETS_MAX = 2;

/** A sealed secret that was replaced and still signs until `until` (epoch milliseconds). */
export interface PreviousSecret {
  secret: string;
  until: number;
}

/** The previous secrets of a row. Malformed entries are left out, so they sign nothing. */
export const readPreviousSecrets = (stored: readonly unknown[]): PreviousSecret[] => stored.filter(isPreviousSecret);

const isPreviousSecret = (stored: unknown): stored is PreviousSecret =>
  typeof stored === "object" &&
  stored !== null &&
  "secret" in stored &&
  typeof stored.secret === "string" &&
  "until" in stored &&
  Number.isSafeInteger(stored.until);

/** When an endpoint's secret replaced the previous one, or else when the endpoint was created (epoch milliseconds). */
export const secretSince = ({
  createdAt,
  previousSecrets,
}: {
  createdAt: number;
  previousSecrets: readonly unknown[];
}): number =>
  Math.max(createdAt, ...readPreviousSecrets(previousSecrets).map(({ until }) => until - PREVIOUS_SECRET_LIFE_MS));

const WEBHOOK_OUTCOMES = ["delivered", "refused", "timeout", "blocked", "network_error"] as const;
/** `blocked`: the address was not public when its turn came, and was not called. */
export type WebhookOutcome = (typeof WEBHOOK_OUTCOMES)[number];
/** `skipped`: the endpoint was switched off, and was not called. */
export const LOGGED_OUTCOMES = [...WEBHOOK_OUTCOMES, "skipped"] as const;

export const DISABLED_REASONS = ["gone", "failing"] as const;
/** `gone`: it answered 410. `failing`: it acknowledged nothing for five days. */
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** The result of one call to an endpoint. */
export interface WebhookAnswer {
  outcome: WebhookOutcome;
  status: number | null;
  /** The value of `Retry-After`, in milliseconds from now. */
  retryAfterMs: number | null;
  durationMs: number;
  /** The beginning of the body. */
  response: string | null;
}

/** The outcome for a status: only 2xx acknowledges; a redirect is not followed. */
export const outcomeOfStatus = (status: number): WebhookOutcome =>
  status >= 200 && status <= 299 ? "delivered" : "refused";

/**
 * Returns when the next attempt is made, in epoch milliseconds, or null if none is left. `attempt` counts from 1, `jitter` is
 * in [0, 1). `Retry-After` is honored up to twice the usual wait, and cannot shorten the usual wait.
 */
export function nextAttemptAt(attempt: number, answer: WebhookAnswer, now: number, jitter: number): number | null {
  if (answer.outcome === "delivered" || answer.status === 410) return null;
  const wait = WEBHOOK_WAITS_MS[attempt - 1];
  if (wait === undefined) return null;
  const pressed = answer.outcome === "timeout" || [429, 502, 504].includes(answer.status ?? 0);
  const usual = Math.max(wait * (0.8 + 0.4 * jitter), pressed ? PRESSURE_WAIT_MS : 0);
  const delayMs = Math.min(Math.max(answer.retryAfterMs ?? 0, usual), 2 * usual);
  return now + Math.round(delayMs);
}

/**
 * Returns why an endpoint is switched off after an answer, or null if it stays on. `failingSince`: its first failure in a
 * row, as read before the call. An endpoint that has acknowledged a message since is not failing (->
 * store/webhooks/attempts.ts).
 */
export function disabledBy(answer: WebhookAnswer, failingSince: number | null, now: number): DisabledReason | null {
  if (answer.outcome === "delivered") return null;
  if (answer.status === 410) return "gone";
  return failingSince !== null && now - failingSince >= FAILING_MAX_MS ? "failing" : null;
}
