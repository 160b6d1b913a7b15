import { describe, expect, it } from "vitest";
import {
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Recovery,
} from "../../../src/domain/delivery/decide-outcome.ts";
import { nextRetryAt, SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
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
