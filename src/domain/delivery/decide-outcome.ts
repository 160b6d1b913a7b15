// Decides the next state of a delivery from the network's answer. The rows are written in store/deliveries/record.
import type { DeliveryEvent } from "../event.ts";
import type { Json } from "../json.ts";
import { DEADLINE_MS } from "../limits.ts";
import type { FailureCode } from "./failure.ts";
import type { Outcome, PrepareOutcome, Reason, Retryable } from "./outcome.ts";
import { addDetail, type KeptReason, keepReason } from "./reason.ts";
import { isAbsentForGood, nextPollAt, nextPreparingAt, nextProbeAt, nextRetryAt } from "./retry.ts";
import type { DeliveryState } from "./transitions.ts";

/** The facts about a delivery that are needed to decide its next state from an answer. */
export interface DeliveryFacts {
  /** A call had no answer, so it may have been carried out. */
  hasOpenSend: boolean;
  /** How often an irrevocable call was begun. */
  attempts: number;
  /** How many places of the retry table are used. */
  retries: number;
  /** Epoch milliseconds. */
  scheduledFor: number;
  sentAt: number | null;
}

export interface Recovery {
  /** Whether the network can be asked about a call that had no answer. */
  canAsk: boolean;
  /** Milliseconds after a publish before the same publish key may be published again; null: never. */
  republishAfterMs: number | null;
}

/** The next state of a delivery and everything that is written with it. */
export interface DeliveryDecision extends KeptReason {
  state: DeliveryState;
  /** Epoch milliseconds; null if the delivery has ended. */
  nextAt: number | null;
  hasOpenSend: boolean;
  retries: number;
  /** The publish key to keep; undefined leaves the stored one. */
  publishKey?: Json;
  /** The post that the network has, or the draft that was handed over. */
  live?: { id: string; url: string | null; urlState: "none" | "pending" | "not_reported" };
  error: FailureCode | null;
  event: DeliveryEvent | null;
  /** Set if the network asked to leave the whole channel alone until then. */
  channelNotBefore?: number;
}

export interface Moment {
  /** Epoch milliseconds by the database's clock. */
  now: number;
  /** In [0, 1). */
  jitter: number;
}

/** The members that most decisions share. */
export const unchanged = ({ retries }: Pick<DeliveryFacts, "retries">) =>
  ({ nextAt: null, hasOpenSend: false, retries, error: null, detail: null, event: null }) as const;

export const ended = (
  delivery: DeliveryFacts,
  state: "failed" | "outcome_unknown",
  error: FailureCode,
  reason: Reason,
): DeliveryDecision => ({
  ...unchanged(delivery),
  state,
  hasOpenSend: state === "outcome_unknown",
  error,
  ...keepReason(reason),
  event: "delivery.failed",
});

export const outcomeUnknown = (delivery: DeliveryFacts, reason: Reason) =>
  ended(delivery, "outcome_unknown", "outcome_unknown", reason);

const UNASKABLE = "this network cannot be asked whether the post is live";

/**
 * The row of a delivery that may or may not be out: the next reconciliation, or `outcome_unknown` if the outcome cannot be
 * determined (docs/delivery.md#unknown).
 */
export function reconcileAgain(
  delivery: DeliveryFacts,
  recovery: Recovery,
  answer: Reason & { notBefore?: number; isUnasked?: boolean; isAbsent?: boolean },
  { now }: Moment,
): DeliveryDecision {
  const { notBefore, isUnasked = false, isAbsent = false } = answer;
  const sentAt = delivery.sentAt ?? now;
  // If the network postponed the reconciliation, or could not be asked, there was no answer. So this is not the last
  // reconciliation before the day is over.
  const isPutOff = (isUnasked || notBefore !== undefined) && (notBefore ?? now) <= delivery.scheduledFor + DEADLINE_MS;
  const nextAt = nextProbeAt(sentAt, now) ?? (isPutOff ? nextPollAt(sentAt, now) : null);
  if (!recovery.canAsk) return outcomeUnknown(delivery, addDetail(answer, UNASKABLE));
  if (nextAt === null || (isAbsent && isAbsentForGood(sentAt, now))) return outcomeUnknown(delivery, answer);
  const again = { ...unchanged(delivery), state: "reconciling", nextAt, hasOpenSend: true } as const;
  return restingUntil({ ...again, ...keepReason(answer) }, notBefore);
}

/** Delays a reconciliation or a poll: if the network asked not to be called until an instant, its whole channel waits. */
export function restingUntil(decision: DeliveryDecision, notBefore: number | undefined): DeliveryDecision {
  if (notBefore === undefined || decision.nextAt === null) return decision;
  return { ...decision, nextAt: Math.max(decision.nextAt, notBefore), channelNotBefore: notBefore };
}

/** A temporary refusal. */
function later(delivery: DeliveryFacts, retryable: Retryable, moment: Moment): DeliveryDecision {
  const { error, notBefore, retryAt, untriedUntil } = retryable;
  const waiting = { ...unchanged(delivery), ...keepReason(retryable) };
  const endsAt = delivery.scheduledFor + DEADLINE_MS;
  if (retryAt !== undefined && moment.now <= endsAt) {
    const nextAt = nextPreparingAt(delivery.scheduledFor, moment.now, retryAt);
    return restingUntil({ ...waiting, state: "staged", nextAt }, notBefore);
  }
  const isUntried = untriedUntil !== undefined && untriedUntil <= endsAt;
  const nextAt = isUntried ? untriedUntil : nextRetryAt(delivery, moment, retryable);
  if (nextAt === null) return ended(delivery, "failed", error, retryable);
  const retries = delivery.retries + (isUntried ? 0 : 1);
  return restingUntil(
    { ...waiting, state: "retry_wait", nextAt, retries, error, event: "delivery.retrying" },
    notBefore,
  );
}

/** Decides from the answer to `prepare` or `publish`. A refused access token has been handled before. */
export function decideOutcome(
  delivery: DeliveryFacts,
  outcome: Exclude<Outcome | PrepareOutcome, { is: "unauthorized" | "prepared" }>,
  recovery: Recovery,
  moment: Moment,
): DeliveryDecision {
  switch (outcome.is) {
    case "live": {
      const { publishKey, notBefore, note: detail = null } = outcome;
      return {
        ...unchanged(delivery),
        state: "live",
        live: outcome,
        ...(publishKey === undefined ? {} : { publishKey }),
        detail,
        event: "delivery.succeeded",
        ...(notBefore === undefined ? {} : { channelNotBefore: notBefore }),
      };
    }
    case "handed_over": {
      const { id, note: detail = null } = outcome;
      const live = { id, url: null, urlState: "none" } as const;
      return { ...unchanged(delivery), state: "handed_over", live, detail, event: "delivery.handed_over" };
    }
    case "processing": {
      const { publishKey, askAt } = outcome;
      const { hasOpenSend } = delivery;
      return { ...unchanged(delivery), state: "processing", nextAt: askAt, hasOpenSend, publishKey };
    }
    case "unknown":
      return reconcileAgain(delivery, recovery, outcome, moment);
    case "retryable":
      return delivery.hasOpenSend
        ? reconcileAgain(delivery, recovery, outcome, moment)
        : later(delivery, outcome, moment);
    case "rejected":
      return delivery.hasOpenSend
        ? reconcileAgain(delivery, recovery, outcome, moment)
        : ended(delivery, "failed", outcome.error, outcome);
  }
}

/**
 * Ends a delivery that cannot go out for a reason of our own. A post that may be out is not called failed
 * (docs/delivery.md#unknown).
 */
export function decideFailure(delivery: DeliveryFacts, error: FailureCode, reason: Reason): DeliveryDecision {
  return delivery.hasOpenSend ? outcomeUnknown(delivery, reason) : ended(delivery, "failed", error, reason);
}

/** Whether a delivery is too late to be sent. */
export function missedDeadline({ scheduledFor }: Pick<DeliveryFacts, "scheduledFor">, now: number): boolean {
  return now > scheduledFor + DEADLINE_MS;
}
