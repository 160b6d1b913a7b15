import { describe, expect, it } from "vitest";
import {
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Recovery,
} from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextPollAt, nextProbeAt, nextRetryAt, SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { fresh, HOUR, keyed, live, MINUTE, makeMoment, rejected, busy as retryable, T0 } from "./delivery-facts.ts";

const open: DeliveryFacts = { ...fresh, hasOpenSend: true };
const blind: Recovery = { canAsk: false, republishAfterMs: null };

const unknown = { is: "unknown", detail: "the connection broke" } as const;

describe("an answer to a send", () => {
  it("a successful answer makes a delivery live, even after an earlier send without an answer", () => {
    for (const facts of [fresh, open]) {
      expect(decideOutcome(facts, live, keyed, makeMoment(T0))).toMatchObject({
        state: "live",
        nextAt: null,
        hasOpenSend: false,
        event: "delivery.succeeded",
      });
    }
  });

  it("a draft in the account's inbox makes a delivery handed over, even after a send without an answer", () => {
    for (const facts of [fresh, open]) {
      expect(
        decideOutcome(facts, { is: "handed_over", id: "draft", note: "Publish it." }, keyed, makeMoment(T0)),
      ).toMatchObject({
        state: "handed_over",
        nextAt: null,
        hasOpenSend: false,
        live: { id: "draft", url: null, urlState: "none" },
        detail: "Publish it.",
        event: "delivery.handed_over",
      });
    }
  });

  it("a successful answer that asks for a wait makes a delivery live and pauses its channel", () => {
    const notBefore = T0 + 600_000;
    expect(decideOutcome(open, { ...live, notBefore }, keyed, makeMoment(T0))).toMatchObject({
      state: "live",
      nextAt: null,
      channelNotBefore: notBefore,
    });
  });

  it("a lost answer is reconciled if the network can be asked, and is an unknown outcome if not", () => {
    expect(decideOutcome(fresh, unknown, keyed, makeMoment(T0 + 1_000))).toMatchObject({
      state: "reconciling",
      hasOpenSend: true,
      nextAt: T0 + 5_000,
      event: null,
    });
    expect(decideOutcome(fresh, unknown, blind, makeMoment(T0))).toMatchObject({
      state: "outcome_unknown",
      error: "outcome_unknown",
      event: "delivery.failed",
      nextAt: null,
    });
  });

  it("a refusal fails a delivery, but never while an earlier send may have been published", () => {
    expect(decideOutcome(fresh, rejected, keyed, makeMoment(T0))).toMatchObject({
      state: "failed",
      error: "content_refused",
      event: "delivery.failed",
    });
    expect(decideOutcome(open, rejected, keyed, makeMoment(T0))).toMatchObject({
      state: "reconciling",
      hasOpenSend: true,
      event: null,
    });
    expect(decideOutcome(open, retryable, keyed, makeMoment(T0))).toMatchObject({
      state: "reconciling",
      hasOpenSend: true,
      event: null,
    });
    expect(decideOutcome(open, rejected, blind, makeMoment(T0))).toMatchObject({
      state: "outcome_unknown",
      error: "outcome_unknown",
    });
  });

  it("a temporary refusal is retried six times by the retry table and then fails the delivery", () => {
    const waits = [30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR];
    for (const [retries, wait] of waits.entries()) {
      const next = decideOutcome({ ...fresh, retries }, retryable, keyed, makeMoment(T0));
      expect(next).toMatchObject({
        state: "retry_wait",
        retries: retries + 1,
        nextAt: T0 + wait,
        event: "delivery.retrying",
      });
    }
    expect(decideOutcome({ ...fresh, retries: waits.length }, retryable, keyed, makeMoment(T0))).toMatchObject({
      state: "failed",
      error: "network_unavailable",
    });
    expect(SENDS_MAX).toBe(7);
  });

  it("a network that names a time is not called before then, and the attempt counts", () => {
    const notBefore = T0 + HOUR;
    const next = decideOutcome(
      { ...fresh, retries: 1 },
      { ...retryable, error: "network_quota", notBefore },
      keyed,
      makeMoment(T0),
    );
    expect(next).toMatchObject({ state: "retry_wait", nextAt: notBefore, retries: 2, channelNotBefore: notBefore });
    const tooLate = { ...retryable, error: "network_quota", notBefore: T0 + 25 * HOUR } as const;
    expect(decideOutcome(fresh, tooLate, keyed, makeMoment(T0))).toMatchObject({
      state: "failed",
      error: "network_quota",
    });
  });

  it("a network that always asks for a wait of one second gets six more attempts at growing intervals", () => {
    const refused: number[] = [];
    let facts: DeliveryFacts = fresh;
    let now = T0;
    for (let state = "retry_wait"; state === "retry_wait"; ) {
      refused.push(now);
      const brief = { ...retryable, error: "network_quota", notBefore: now + 1_000 } as const;
      const next = decideOutcome(facts, brief, keyed, makeMoment(now));
      facts = { ...facts, retries: next.retries };
      state = next.state;
      now = next.nextAt ?? now;
    }
    const waits = refused.slice(1).map((time, i) => time - (refused[i] ?? 0));
    expect(waits).toEqual([1_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, 2 * HOUR]);
    expect(refused).toHaveLength(SENDS_MAX);
  });

  it("a network that is still preparing is polled again without an event", () => {
    const next = decideOutcome(fresh, { ...retryable, retryAt: T0 + 5_000 }, keyed, makeMoment(T0));
    expect(next).toMatchObject({ state: "staged", nextAt: T0 + 5_000, retries: 0, event: null });
  });

  it("a network that prepares for long and always names one second is finally polled every half minute", () => {
    const waits = [0, 20_000, MINUTE, HOUR].map((age) => {
      const now = T0 + age;
      return (decideOutcome(fresh, { ...retryable, retryAt: now + 1_000 }, keyed, makeMoment(now)).nextAt ?? 0) - now;
    });
    expect(waits).toEqual([1_000, 5_000, 15_000, 30_000]);
  });
});

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

describe("a failure on our side", () => {
  it("a failure on our side fails an unsent delivery and makes no claim about a sent one", () => {
    expect(decideFailure(fresh, "channel_disconnected", {})).toMatchObject({
      state: "failed",
      error: "channel_disconnected",
    });
    expect(decideFailure(open, "channel_disconnected", {})).toMatchObject({
      state: "outcome_unknown",
      error: "outcome_unknown",
    });
  });
  it("every wait stays within 20 % of its planned length and inside the delivery's day", () => {
    expect(nextRetryAt(fresh, { now: T0, jitter: 0 })).toBe(T0 + 24_000);
    expect(nextRetryAt(fresh, { now: T0, jitter: 0.999_999 })).toBeLessThanOrEqual(T0 + 36_000);
    expect(nextRetryAt({ ...fresh, retries: 5 }, makeMoment(T0 + 20 * HOUR))).toBeNull();
  });
});
