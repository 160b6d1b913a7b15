// Decides the next state of a delivery whose network was asked what became of it.
import { DEADLINE_MS } from "../limits.ts";
import {
  type DeliveryDecision,
  type DeliveryFacts,
  decideOutcome,
  ended,
  type Moment,
  outcomeUnknown,
  type Recovery,
  reconcileAgain,
  restingUntil,
  unchanged,
} from "./decide-outcome.ts";
import type { ReconcileOutcome, Retryable } from "./outcome.ts";
import { keepReason } from "./reason.ts";
import { nextPollAt, nextRetryAt, SENDS_MAX } from "./retry.ts";

/** The network could not be asked: no credential is available for now, or the publish key cannot be read. */
type Unasked = Retryable & { isUnasked: true };
/** The answer to a reconciliation. */
export type Reconciliation = Exclude<ReconcileOutcome, { is: "unauthorized" }> | Unasked;

/**
 * Decides from the reconciliation of a `reconciling` or `processing` delivery. `resend` publishes again with the same publish
 * key.
 */
export function decideReconciliation(
  delivery: DeliveryFacts & { state: "reconciling" | "processing" },
  reconciliation: Reconciliation,
  recovery: Recovery,
  moment: Moment,
): DeliveryDecision | "resend" {
  const sentAt = delivery.sentAt ?? moment.now;
  const pastDeadline = moment.now > delivery.scheduledFor + DEADLINE_MS;
  // The network has a day to finish, however late the post was sent.
  const workedOnTooLong = moment.now > (delivery.sentAt ?? delivery.scheduledFor) + DEADLINE_MS;
  switch (reconciliation.is) {
    case "live":
    case "handed_over":
    case "processing":
      if (reconciliation.is === "processing" && workedOnTooLong)
        return outcomeUnknown(delivery, { detail: "still being processed after a day" });
      return decideOutcome(delivery, reconciliation, recovery, moment);
    case "void": {
      const nextAt = nextRetryAt(delivery, moment);
      if (nextAt === null) return ended(delivery, "failed", reconciliation.error, reconciliation);
      return {
        ...unchanged(delivery),
        state: "retry_wait",
        nextAt,
        retries: delivery.retries + 1,
        publishKey: null,
        error: reconciliation.error,
        ...keepReason(reconciliation),
        event: "delivery.retrying",
      };
    }
    case "rejected":
      if (delivery.state === "processing") return ended(delivery, "failed", reconciliation.error, reconciliation);
      return reconcileAgain(delivery, recovery, reconciliation, moment);
    case "not_published": {
      if (recovery.republishAfterMs === null)
        return reconcileAgain(delivery, recovery, { detail: "not found on the network" }, moment);
      const republishAt = sentAt + recovery.republishAfterMs;
      if (pastDeadline || delivery.attempts >= SENDS_MAX) {
        return outcomeUnknown(delivery, { detail: "not found on the network after the last try" });
      }
      if (moment.now >= republishAt) return "resend";
      const detail = "not found yet";
      return { ...unchanged(delivery), state: "reconciling", nextAt: republishAt, hasOpenSend: true, detail };
    }
    case "unknown":
    case "retryable": {
      const isFinal = reconciliation.is === "unknown" && reconciliation.final === true;
      if (isFinal) return outcomeUnknown(delivery, reconciliation);
      const { notBefore } = reconciliation;
      if (delivery.state === "reconciling") return reconcileAgain(delivery, recovery, reconciliation, moment);
      if (workedOnTooLong) return outcomeUnknown(delivery, reconciliation);
      const nextAt = nextPollAt(sentAt, moment.now);
      const { hasOpenSend } = delivery;
      const processing = { ...unchanged(delivery), state: "processing", nextAt, hasOpenSend } as const;
      return restingUntil({ ...processing, ...keepReason(reconciliation) }, notBefore);
    }
  }
}
