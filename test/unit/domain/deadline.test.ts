// The day that a delivery has: its last instant still counts, and nothing is sent, waited for or asked after it.
import { describe, expect, it } from "vitest";
import { type DeliveryDecision, decideOutcome, missedDeadline } from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextRetryAt } from "../../../src/domain/delivery/retry.ts";
import { at, T0 as DUE, fresh, HOUR, keyed } from "./delivery-facts.ts";

const END = DUE + 24 * HOUR;
const reconciling = { ...fresh, hasOpenSend: true, state: "reconciling" } as const;
const processing = { ...fresh, state: "processing" } as const;
const busy = { is: "retryable", error: "network_quota", detail: "slow down" } as const;
const lost = { is: "unknown", detail: "no answer" } as const;
const stillWorking = { is: "processing", publishKey: {}, askAt: END + HOUR } as const;

const stateOf = (next: DeliveryDecision | "resend") => (next === "resend" ? next : next.state);
type Answer = Parameters<typeof decideReconciliation>[1];
const asked = (delivery: Parameters<typeof decideReconciliation>[0], answer: Answer, now: number) =>
  stateOf(decideReconciliation(delivery, answer, keyed, at(now)));

describe("the day of a delivery", () => {
  it.each<[string, string, string, (instant: number) => string]>([
    [
      "a network's wait is kept up to its end, and fails the delivery beyond it",
      "retry_wait",
      "failed",
      (instant) => stateOf(decideOutcome(fresh, { ...busy, notBefore: instant }, keyed, at(DUE))),
    ],
    [
      "a network that is preparing is looked at again up to its end, and failed after it",
      "staged",
      "failed",
      (instant) => stateOf(decideOutcome(fresh, { ...busy, retryAt: instant + 5_000 }, keyed, at(instant))),
    ],
    [
      "a post is sent up to its end, and has missed its deadline after it",
      "in time",
      "too late",
      (instant) => (missedDeadline(fresh, instant) ? "too late" : "in time"),
    ],
    [
      "a question that could not be asked is asked again up to its end, and unknown after it",
      "reconciling",
      "outcome_unknown",
      (instant) => asked(reconciling, { ...busy, isUnasked: true }, instant),
    ],
    [
      "a question that the network puts off is put off up to its end, and unknown beyond it",
      "reconciling",
      "outcome_unknown",
      (instant) => asked(reconciling, { ...busy, notBefore: instant }, DUE + 2 * HOUR),
    ],
    [
      "the same publishKey is sent again up to its end, and not after it",
      "resend",
      "outcome_unknown",
      (instant) => asked(reconciling, { is: "not_published" }, instant),
    ],
    [
      "a post is being processed for a day since it was sent, and unknown after it",
      "processing",
      "outcome_unknown",
      (instant) => asked({ ...processing, scheduledFor: DUE - HOUR }, stillWorking, instant),
    ],
    [
      "a post of which nobody knows when it was sent is being processed for a day since its time",
      "processing",
      "outcome_unknown",
      (instant) => asked({ ...processing, sentAt: null }, stillWorking, instant),
    ],
    [
      "a post that is being processed is asked after for a day, and unknown after it",
      "processing",
      "outcome_unknown",
      (instant) => asked(processing, lost, instant),
    ],
  ])("%s", (_, inTime, tooLate, outcome) => {
    expect([END - 1, END, END + 1].map(outcome)).toEqual([inTime, inTime, tooLate]);
  });

  it("has a last attempt at its end and none after it", () => {
    expect(nextRetryAt(fresh, at(END - 30_000))).toBe(END);
    expect(nextRetryAt(fresh, at(END - 29_999))).toBeNull();
  });

  it("does not limit proof: a published post is live however late that is known", () => {
    const live = { is: "live", id: "1", url: null, urlState: "none" } as const;
    for (const delivery of [reconciling, processing]) expect(asked(delivery, live, END + HOUR)).toBe("live");
  });
});
