// A network's error catalogue as data: the meaning of each documented answer for the delivery.
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { Reason, Rejected, Retryable, Unauthorized, Unknown } from "../../domain/delivery/outcome.ts";

/** The meaning of a documented answer. Only `unknown` may have published something. */
export type Meaning =
  /**
   * Temporary. If the answer itself names no time, `waitMs` is how long the whole channel must wait, and `isOfDay` says that
   * the network counts the last 24 hours.
   */
  | { is: "retryable"; error: FailureCode; waitMs?: number; isOfDay?: true; fix?: string }
  /** Permanent. `fix`: advice for a person. */
  | { is: "rejected"; error: FailureCode; fix?: string }
  /** The access token was refused: one renewal and one more try are allowed. */
  | { is: "unauthorized" }
  /** The network calls it a refusal, but such calls are known to have been carried out at times. */
  | { is: "unknown" };

/**
 * The outcome of a documented answer. `reason` is mostly in the network's words; `notBefore` (epoch milliseconds) is the time
 * that the answer itself named.
 */
export function toOutcome(
  meaning: Meaning,
  reason: Reason,
  now: number,
  notBefore?: number,
): Retryable | Rejected | Unauthorized | Unknown {
  if (meaning.is === "unauthorized" || meaning.is === "unknown") return { is: meaning.is, ...reason };
  const explained = meaning.fix === undefined ? reason : { detail: meaning.fix, ...reason };
  if (meaning.is === "rejected") return { is: "rejected", error: meaning.error, ...explained };
  const retryAt = notBefore ?? (meaning.waitMs === undefined ? undefined : now + meaning.waitMs);
  return {
    is: "retryable",
    error: meaning.error,
    ...explained,
    ...(retryAt === undefined ? {} : { notBefore: retryAt }),
    ...(meaning.isOfDay === true && notBefore === undefined ? { isOfDay: true } : {}),
  };
}
