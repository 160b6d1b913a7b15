// Calls to Durable Objects. An error itself says whether the call is worth a retry
// (developers.cloudflare.com/durable-objects/best-practices/error-handling, read 2026-11-24).

import { type Refusal, refuse } from "../domain/refusal.ts";
import { pause } from "./pause.ts";

/** Waits before each retry, in milliseconds, with jitter of up to half. */
const WAITS_MS = [50, 200, 800];

/** A restarted object is available again within this time. */
const RETRY_AFTER_S = 2;

const isRetryable = (error: Error): boolean => "retryable" in error && error.retryable === true;
const isOverloaded = (error: Error): boolean => "overloaded" in error && error.overloaded === true;

/** An overloaded object gets no retry, which would add to its load. */
const mayRepeat = (error: unknown): boolean => error instanceof Error && isRetryable(error) && !isOverloaded(error);

/** The refusal for a request that failed because an object did not answer; null for any other failure. */
export function objectRefusal(error: unknown): Refusal | null {
  const isOfObject = error instanceof Error && (isRetryable(error) || isOverloaded(error));
  return isOfObject ? refuse("service_busy", { headers: { "Retry-After": String(RETRY_AFTER_S) } }) : null;
}

/**
 * Calls an object and returns its answer. A transient failure is retried, so the call must be safe to repeat. Each try gets
 * a new stub, because a stub that has failed may stay broken.
 */
export async function callObject<Answer>(call: () => Promise<Answer>, wait = pause): Promise<Answer> {
  for (const waitMs of WAITS_MS) {
    try {
      return await call();
    } catch (error) {
      if (!mayRepeat(error)) throw error;
      await wait(waitMs * (0.5 + Math.random()));
    }
  }
  return call();
}
