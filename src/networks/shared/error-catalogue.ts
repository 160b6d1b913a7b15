// A network's error catalogue as data: which documented answer means what for the delivery.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Reason, Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";

/** What a documented answer means. None of it published anything, but for `unknown`. */
export type Meaning =
  /**
   * Goes away by itself. Where the answer names no time itself, `waitMs` is how long the whole channel must rest, and `isOfDay` says that
   * the last 24 hours are counted.
   */
  | { is: "retryable"; error: FailureCode; waitMs?: number; isOfDay?: true; fix?: string }
  /** Stays. `fix`: what a person can do about it. */
  | { is: "rejected"; error: FailureCode; fix?: string }
  /** The access token: one renewal and one more try are allowed. */
  | { is: "unauthorized" }
  /** Said to be refused, but known to have been carried out at times. */
  | { is: "unknown" };

/**
 * The outcome that a documented answer leads to. `reason` is why, mostly in the network's words; `notBefore` (epoch milliseconds) is
 * the time that the answer itself named.
 */
export function outcomeOf(
  meaning: Meaning,
  reason: Reason,
  now: number,
  notBefore?: number,
): Retryable | Rejected | Unauthorized | Unknown {
  if (meaning.is === "unauthorized" || meaning.is === "unknown") return { is: meaning.is, ...reason };
  const explained = meaning.fix === undefined ? reason : { detail: meaning.fix, ...reason };
  if (meaning.is === "rejected") return { is: "rejected", error: meaning.error, ...explained };
  const rest = notBefore ?? (meaning.waitMs === undefined ? undefined : now + meaning.waitMs);
  return {
    is: "retryable",
    error: meaning.error,
    ...explained,
    ...(rest === undefined ? {} : { notBefore: rest }),
    ...(meaning.isOfDay === true && notBefore === undefined ? { isOfDay: true } : {}),
  };
}
