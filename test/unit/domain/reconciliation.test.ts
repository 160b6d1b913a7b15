// What follows from the reconciliation of a call without an answer.
import { describe, expect, it } from "vitest";
import { type DeliveryFacts, decideOutcome, type Recovery } from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextPollAt, nextProbeAt, SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { fresh, HOUR, keyed, MINUTE, makeMoment, rejected, busy as retryable, T0 } from "./delivery-facts.ts";

const open: DeliveryFacts = { ...fresh, hasOpenSend: true };
const blind: Recovery = { canAsk: false, republishAfterMs: null };

const _unknown = { is: "unknown", detail: "the connection broke" } as const;

describe("reconciling", () => {
  const reconciling = { ...open, state: "reconciling" } as const;
  const processing = { ...fresh, state: "processing" } as const;

  it("a delivery that was not published is sent again only at its time, and under the same publish key", () => {
    expect(decideReconciliation(reconciling, { is: "not_published" }, keyed, makeMoment(T0 + 149_999))).toMatchObject({
      state: "reconciling",
      nextAt: T0 + 150_000,
      hasOpenSend: true,
    });
    expect(decideReconciliation(reconciling, { is: "not_published" }, keyed, makeMoment(T0 + 150_000))).toBe("resend");
  });

  it("a missing post is never sent again if the network does not recognise repeats", () => {
    const next = decideReconciliation(
      reconciling,
      { is: "not_published" },
      { canAsk: true, republishAfterMs: null },
      makeMoment(T0 + HOUR),
    );
    expect(next).toMatchObject({ state: "outcome_unknown", error: "outcome_unknown" });
  });

  it("resends are limited by a number of attempts and by the delivery's day", () => {
    expect(
      decideReconciliation(
        { ...reconciling, attempts: SENDS_MAX },
        { is: "not_published" },
        keyed,
        makeMoment(T0 + HOUR),
      ),
    ).toMatchObject({ state: "outcome_unknown" });
    expect(decideReconciliation(reconciling, { is: "not_published" }, keyed, makeMoment(T0 + 25 * HOUR))).toMatchObject(
      {
        state: "outcome_unknown",
      },
    );
  });

  it("an outcome that cannot be determined is unknown at once", () => {
    const finalUnknown = { is: "unknown", detail: "nobody can read it", final: true } as const;
    expect(decideReconciliation(reconciling, finalUnknown, keyed, makeMoment(T0))).toMatchObject({
      state: "outcome_unknown",
      error: "outcome_unknown",
      event: "delivery.failed",
    });
  });

  it("a delivery without an answer is looked up after 5 s, 2, 5, 15 and 60 minutes, and is then unknown", () => {
    const lookups: number[] = [];
    for (let next: number | null = nextProbeAt(T0, T0); next !== null; next = nextProbeAt(T0, next))
      lookups.push(next - T0);
    expect(lookups).toEqual([5_000, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR]);
    expect(
      decideReconciliation(reconciling, { is: "unknown", detail: "" }, keyed, makeMoment(T0 + HOUR)),
    ).toMatchObject({
      state: "outcome_unknown",
      error: "outcome_unknown",
    });
  });

  it("a network that asks for a wait is not called earlier for anything on the channel", () => {
    const busy = { is: "retryable", error: "network_quota", detail: "slow down", notBefore: T0 + 15 * MINUTE } as const;
    const waitFields = { nextAt: T0 + 15 * MINUTE, channelNotBefore: T0 + 15 * MINUTE };
    expect(decideReconciliation(processing, busy, keyed, makeMoment(T0))).toMatchObject({
      state: "processing",
      ...waitFields,
    });
    expect(decideReconciliation(reconciling, busy, keyed, makeMoment(T0))).toMatchObject({
      state: "reconciling",
      ...waitFields,
    });
    expect(decideOutcome(open, busy, keyed, makeMoment(T0))).toMatchObject({ state: "reconciling", ...waitFields });
    const soon = { ...busy, notBefore: T0 + 1_000 };
    expect(decideReconciliation(reconciling, soon, keyed, makeMoment(T0))).toMatchObject({ nextAt: T0 + 5_000 });
    const unclear = { is: "unknown", detail: "HTTP 429 without a clear answer", notBefore: T0 + 15 * MINUTE } as const;
    expect(decideOutcome(fresh, unclear, keyed, makeMoment(T0))).toMatchObject({ state: "reconciling", ...waitFields });
    expect(decideReconciliation(processing, unclear, keyed, makeMoment(T0))).toMatchObject({
      state: "processing",
      ...waitFields,
    });
    const preparing = { ...busy, retryAt: T0 + 5_000 };
    expect(decideOutcome(fresh, preparing, keyed, makeMoment(T0))).toMatchObject({ state: "staged", ...waitFields });
  });

  it("a lookup that could not be made is not the last one while the delivery's day lasts", () => {
    const unasked = { ...retryable, isUnasked: true } as const;
    const reconcileAt = (now: number) => decideReconciliation(reconciling, unasked, keyed, makeMoment(now));
    expect(reconcileAt(T0)).toMatchObject({ state: "reconciling", nextAt: T0 + 5_000 });
    expect(reconcileAt(T0 + 2 * HOUR)).toMatchObject({ state: "reconciling", nextAt: T0 + 2 * HOUR + 5 * MINUTE });
    expect(reconcileAt(reconciling.scheduledFor + 24 * HOUR + 1)).toMatchObject({
      state: "outcome_unknown",
      nextAt: null,
    });
    expect(decideReconciliation(reconciling, retryable, keyed, makeMoment(T0 + 2 * HOUR))).toMatchObject({
      state: "outcome_unknown",
    });
    expect(decideReconciliation(reconciling, unasked, blind, makeMoment(T0))).toMatchObject({
      state: "outcome_unknown",
    });
  });

  it("a lookup that the network postpones is not the last one while the delivery's day lasts", () => {
    const busy = { is: "retryable", error: "network_quota", detail: "slow down" } as const;
    const postponeUntil = (notBefore: number, now: number) =>
      decideReconciliation(reconciling, { ...busy, notBefore }, keyed, makeMoment(now));
    expect(postponeUntil(T0 + 2 * HOUR, T0 + HOUR)).toMatchObject({ state: "reconciling", nextAt: T0 + 2 * HOUR });
    // A network that asks for a short wait is not looked up sooner than every five minutes.
    expect(postponeUntil(T0 + HOUR + 1_000, T0 + HOUR)).toMatchObject({
      state: "reconciling",
      nextAt: T0 + HOUR + 5 * MINUTE,
    });
    const { scheduledFor } = reconciling;
    expect(postponeUntil(scheduledFor + 24 * HOUR + 1, T0 + HOUR)).toMatchObject({
      state: "outcome_unknown",
      nextAt: null,
    });
    expect(decideOutcome(open, { ...busy, notBefore: T0 + HOUR }, blind, makeMoment(T0))).toMatchObject({
      state: "outcome_unknown",
    });
  });

  it("a void publish key may be replaced, because nothing was published under it", () => {
    const voided = { is: "void", error: "media_refused", detail: "expired" } as const;
    expect(decideReconciliation(reconciling, voided, keyed, makeMoment(T0))).toMatchObject({
      state: "retry_wait",
      hasOpenSend: false,
      publishKey: null,
    });
    expect(decideReconciliation(reconciling, voided, keyed, makeMoment(T0 + 25 * HOUR))).toMatchObject({
      state: "failed",
      error: "media_refused",
    });
  });

  it("a post that was sent late has a full day from that time on", () => {
    const sentLate = { ...processing, sentAt: T0 + 24 * HOUR };
    const stillProcessing = { is: "processing", publishKey: {}, askAt: T0 + 25 * HOUR } as const;
    for (const answer of [stillProcessing, retryable, { is: "unknown", detail: "" } as const]) {
      const next = (now: number) => decideReconciliation(sentLate, answer, keyed, makeMoment(now));
      expect(next(T0 + 24 * HOUR + MINUTE)).toMatchObject({ state: "processing" });
      expect(next(T0 + 48 * HOUR + MINUTE)).toMatchObject({ state: "outcome_unknown" });
    }
  });

  it("a post that is being processed is polled for a day and is then unknown, and a refusal by the network fails it", () => {
    expect(decideReconciliation(processing, retryable, keyed, makeMoment(T0 + MINUTE))).toMatchObject({
      state: "processing",
      nextAt: nextPollAt(T0, T0 + MINUTE),
    });
    expect(
      decideReconciliation(processing, { is: "unknown", detail: "" }, keyed, makeMoment(T0 + 25 * HOUR)),
    ).toMatchObject({
      state: "outcome_unknown",
    });
    expect(
      decideReconciliation(
        processing,
        { is: "processing", publishKey: {}, askAt: T0 },
        keyed,
        makeMoment(T0 + 25 * HOUR),
      ),
    ).toMatchObject({ state: "outcome_unknown" });
    expect(decideReconciliation(processing, rejected, keyed, makeMoment(T0))).toMatchObject({
      state: "failed",
      error: "content_refused",
    });
  });
});
