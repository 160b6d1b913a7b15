// Recognizes the platform's errors for an account on Workers Free that has used up a daily allowance. Each allowance resets at midnight
// UTC. The errors have no code, so the texts are compared.
//
// - D1: developers.cloudflare.com/d1/observability/debug-d1 (cloudflare-docs 32641).
// - Durable Objects: not documented; as reported by callers, such as lyc8503/UptimeFlare issue 109.
// - Queues: workerd puts "Queue send failed: " before the status text of the answer (src/workerd/api/queue.c++). The text is
//   that of error 10253 (developers.cloudflare.com/queues/reference/error-codes), which the page puts at the end of the
//   message.
//
// All read 2026-11-24. R2 has no daily allowance: usage beyond the monthly one is billed
// (developers.cloudflare.com/r2/pricing).
import { errorTexts } from "./error-texts.ts";
import { DAY_MS, MINUTE_MS } from "./limits.ts";
import { type Refusal, type RefusalDetail, refuse } from "./refusal.ts";

const OF_DATABASE = /daily row (?:read|write) limit/;
const OF_OBJECTS =
  /Exceeded allowed (?:rows read|rows written|duration|volume of requests) in Durable Objects free tier/;
const OF_QUEUES = /Queue send(?:Batch)? failed: .*(?:Free tier limit exceeded|FreeTierLimitExceeded|\b10253\b)/i;

/** The longest wait, so that an operator who changes to a paid plan does not wait longer. */
const WAIT_MAX_MS = 10 * MINUTE_MS;

const matchesLimit = (error: unknown, ...limits: RegExp[]): boolean =>
  errorTexts(error).some((text) => limits.some((limit) => limit.test(text)));

export const isDatabaseLimit = (error: unknown): boolean => matchesLimit(error, OF_DATABASE);

/** Whether an error means that a daily allowance is used up. */
export const isDailyLimit = (error: unknown): boolean => matchesLimit(error, OF_DATABASE, OF_OBJECTS, OF_QUEUES);

/** When the next UTC day begins (epoch milliseconds). */
const nextDayAt = (now: number): number => (Math.floor(now / DAY_MS) + 1) * DAY_MS;

/** Seconds until the allowances reset. */
const secondsToNextDay = (now: number): number => Math.ceil((nextDayAt(now) - now) / 1000);

/** How long our own work waits after `error`: `usualMs`, or longer if a daily allowance is used up. */
export const waitAfter = (error: unknown, usualMs: number, now: number): number =>
  isDailyLimit(error) ? Math.min(WAIT_MAX_MS, nextDayAt(now) - now) : usualMs;

/** How long a message waits after its job failed with `error`, in seconds: `usualS`, or until the allowance resets. */
export const retryDelayS = (error: unknown, usualS: number, now: number): number =>
  isDailyLimit(error) ? secondsToNextDay(now) : usualS;

/** The text that tells a caller that an allowance is used up. `now`: epoch milliseconds. */
export function dailyLimitDetail(now: number): Pick<RefusalDetail, "hint" | "headers"> {
  return {
    hint: `Try again after ${new Date(nextDayAt(now)).toISOString()}.`,
    headers: { "Retry-After": String(secondsToNextDay(now)) },
  };
}

/**
 * The refusal for a call that failed because a daily allowance is used up; null for any other error. `now`: epoch
 * milliseconds.
 */
export const dailyLimitRefusal = (error: unknown, now: number): Refusal | null =>
  isDailyLimit(error) ? refuse("daily_limit_reached", dailyLimitDetail(now)) : null;
