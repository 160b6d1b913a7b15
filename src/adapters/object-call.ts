// Calls of Durable Objects. What fails on the way is said to be worth another try by the error itself
// (developers.cloudflare.com/durable-objects/best-practices/error-handling, read 2026-11-24).

import { type Refusal, refuse } from "../domain/refusal.ts";
import { pause } from "./pause.ts";

/** Waits before the next try, in milliseconds; each is lengthened or shortened by up to a half. */
const WAITS_MS = [50, 200, 800];

/** In this time a restarted object is there again. */
const RETRY_AFTER_S = 2;

const isRetryable = (error: Error): boolean => "retryable" in error && error.retryable === true;
const isOverloaded = (error: Error): boolean => "overloaded" in error && error.overloaded === true;

/** An overloaded object is not asked again: that would be more of what overloads it. */
const mayRepeat = (error: unknown): boolean => error instanceof Error && isRetryable(error) && !isOverloaded(error);

/** The refusal for a request that failed because an object did not answer; null: it did not fail of that. */
export function objectRefusal(error: unknown): Refusal | null {
  const isOfObject = error instanceof Error && (isRetryable(error) || isOverloaded(error));
  return isOfObject ? refuse("service_busy", { headers: { "Retry-After": String(RETRY_AFTER_S) } }) : null;
}

/**
 * What `call` of an object answers. It is made again after a failure that passes, so it must do no harm twice; it gets its stub
 * anew each time, because one that has failed may stay broken.
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
