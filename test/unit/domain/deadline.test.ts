// A delivery has one day. Its last instant is included, and afterwards nothing is sent, retried or polled.
import { describe, expect, it } from "vitest";
import { type DeliveryDecision, decideOutcome, missedDeadline } from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextRetryAt } from "../../../src/domain/delivery/retry.ts";
import { T0 as DUE, fresh, HOUR, keyed, makeMoment } from "./delivery-facts.ts";

const END = DUE + 24 * HOUR;
const reconciling = { ...fresh, hasOpenSend: true, state: "reconciling" } as const;
const processing = { ...fresh, state: "processing" } as const;
const busy = { is: "retryable", error: "network_quota", detail: "slow down" } as const;
const lost = { is: "unknown", detail: "no answer" } as const;
const stillWorking = { is: "processing", publishKey: {}, askAt: END + HOUR } as const;

const getState = (next: DeliveryDecision | "resend") => (next === "resend" ? next : next.state);
type Answer = Parameters<typeof decideReconciliation>[1];
const reconcileAt = (delivery: Parameters<typeof decideReconciliation>[0], answer: Answer, now: number) =>
  getState(decideReconciliation(delivery, answer, keyed, makeMoment(now)));

describe("the day of a delivery", () => {
  it.each<[string, string, string, (instant: number) => string]>([
    [
      "a network's wait is respected up to the end of the delivery's day, and fails the delivery if it is longer",
      "retry_wait",
      "failed",
      (instant) => getState(decideOutcome(fresh, { ...busy, notBefore: instant }, keyed, makeMoment(DUE))),
    ],
    [
      "a network that is preparing is polled up to the end of the delivery's day, and afterwards the delivery fails",
      "staged",
      "failed",
      (instant) => getState(decideOutcome(fresh, { ...busy, retryAt: instant + 5_000 }, keyed, makeMoment(instant))),
    ],
    [
      "a post is sent up to the end of the delivery's day, and has missed its deadline afterwards",
      "in time",
      "too late",
      (instant) => (missedDeadline(fresh, instant) ? "too late" : "in time"),
    ],
    [
      "a lookup that could not be made is retried up to the end of the delivery's day, and afterwards the outcome is unknown",
      "reconciling",
      "outcome_unknown",
      (instant) => reconcileAt(reconciling, { ...busy, isUnasked: true }, instant),
    ],
    [
      "a lookup that the network postpones waits up to the end of the delivery's day, and beyond it the outcome is unknown",
      "reconciling",
      "outcome_unknown",
      (instant) => reconcileAt(reconciling, { ...busy, notBefore: instant }, DUE + 2 * HOUR),
    ],
    [
      "the same publish key is sent again up to the end of the delivery's day, and not afterwards",
      "resend",
      "outcome_unknown",
      (instant) => reconcileAt(reconciling, { is: "not_published" }, instant),
    ],
    [
      "a post may be processed for a day since it was sent, and afterwards the outcome is unknown",
      "processing",
      "outcome_unknown",
      (instant) => reconcileAt({ ...processing, scheduledFor: DUE - HOUR }, stillWorking, instant),
    ],
    [
      "a post without a known time of sending may be processed for a day since its scheduled time",
      "processing",
      "outcome_unknown",
      (instant) => reconcileAt({ ...processing, sentAt: null }, stillWorking, instant),
    ],
    [
      "a post that is being processed is polled for a day, and afterwards the outcome is unknown",
      "processing",
      "outcome_unknown",
      (instant) => reconcileAt(processing, lost, instant),
    ],
  ])("%s", (_, inTime, tooLate, outcome) => {
    expect([END - 1, END, END + 1].map(outcome)).toEqual([inTime, inTime, tooLate]);
  });

  it("the last attempt of a delivery is at the end of its day", () => {
    expect(nextRetryAt(fresh, makeMoment(END - 30_000))).toBe(END);
    expect(nextRetryAt(fresh, makeMoment(END - 29_999))).toBeNull();
  });

  it("a post that is proven to be published becomes live even after the delivery's day", () => {
    const live = { is: "live", id: "1", url: null, urlState: "none" } as const;
    for (const delivery of [reconciling, processing]) expect(reconcileAt(delivery, live, END + HOUR)).toBe("live");
  });
});
