// A decision has the detail for callers, the publish key, and whether a call is open, together with the new state.
import { describe, expect, it } from "vitest";
import {
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Recovery,
} from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextPollAt, nextPreparingAt, SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { busy, fresh, HOUR, keyed, live, MINUTE, makeMoment, rejected, T0 } from "./delivery-facts.ts";

const retried: DeliveryFacts = { ...fresh, retries: 2 };
const open: DeliveryFacts = { ...retried, hasOpenSend: true };
const reconciling = { ...open, state: "reconciling" } as const;
const noRepeat: Recovery = { canAsk: true, republishAfterMs: null };

describe("a post that is live", () => {
  const unchanged = {
    state: "live",
    nextAt: null,
    hasOpenSend: false,
    retries: 2,
    error: null,
    detail: null,
    event: "delivery.succeeded",
  };

  it("a live delivery keeps its publish key and its channel unchanged if the network does not mention them", () => {
    expect(decideOutcome(open, live, keyed, makeMoment(T0))).toStrictEqual({ ...unchanged, live });
  });

  it("a live delivery stores the publish key and the note that the network returns", () => {
    const answer = { ...live, publishKey: { id: "1" }, note: "shown to friends only" };
    expect(decideOutcome(open, answer, keyed, makeMoment(T0))).toStrictEqual({
      ...unchanged,
      live: answer,
      publishKey: answer.publishKey,
      detail: answer.note,
    });
  });
});

describe("a call that is open", () => {
  it("an open call is closed by a temporary or permanent refusal", () => {
    for (const answer of [busy, rejected])
      expect(decideOutcome(retried, answer, keyed, makeMoment(T0)).hasOpenSend).toBe(false);
    expect(decideOutcome(retried, { ...busy, retryAt: T0 + 5_000 }, keyed, makeMoment(T0)).hasOpenSend).toBe(false);
    expect(decideFailure(retried, "internal_error", { detail: "given up" }).hasOpenSend).toBe(false);
  });

  it("an open call stays open while its outcome is unknown, even after the delivery has ended", () => {
    expect(decideFailure(open, "internal_error", { detail: "given up" })).toMatchObject({
      state: "outcome_unknown",
      hasOpenSend: true,
    });
    expect(
      decideOutcome(open, { is: "processing", publishKey: {}, askAt: T0 }, keyed, makeMoment(T0)).hasOpenSend,
    ).toBe(true);
  });

  it("an open call is not closed if the network refuses the lookup", () => {
    expect(decideReconciliation(reconciling, rejected, keyed, makeMoment(T0))).toMatchObject({
      state: "reconciling",
      hasOpenSend: true,
      error: null,
      detail: "no",
    });
  });
});

it("a delivery that was not attempted waits until the given time and keeps its attempts", () => {
  const tried = { ...fresh, retries: 6 };
  const untried = { ...busy, untriedUntil: T0 + 20_000 };
  expect(decideOutcome(tried, untried, keyed, makeMoment(T0))).toMatchObject({
    state: "retry_wait",
    nextAt: T0 + 20_000,
    retries: 6,
  });
  const tooLate = { ...busy, untriedUntil: tried.scheduledFor + 24 * HOUR + 1 };
  expect(decideOutcome(tried, tooLate, keyed, makeMoment(T0))).toMatchObject({ state: "failed", error: busy.error });
});

describe("a delivery that is refused", () => {
  it("a delivery that is refused temporarily keeps the network's message while it waits", () => {
    const reason = { error: "network_unavailable", detail: "down" };
    expect(decideOutcome(retried, busy, keyed, makeMoment(T0))).toMatchObject({ state: "retry_wait", ...reason });
    expect(decideOutcome(retried, { ...busy, notBefore: T0 + HOUR }, keyed, makeMoment(T0))).toMatchObject({
      state: "retry_wait",
      ...reason,
    });
    const preparing = decideOutcome(retried, { ...busy, retryAt: T0 + 5_000 }, keyed, makeMoment(T0));
    expect(preparing).toMatchObject({ state: "staged", error: null, detail: "down" });
  });

  it("a void publish key uses one attempt, as a refused send does", () => {
    const voided = { is: "void", error: "media_refused", detail: "expired" } as const;
    expect(decideReconciliation(reconciling, voided, keyed, makeMoment(T0))).toMatchObject({
      retries: 3,
      nextAt: decideOutcome(retried, busy, keyed, makeMoment(T0)).nextAt,
      error: "media_refused",
      detail: "expired",
      event: "delivery.retrying",
    });
  });
});

describe("a delivery that is not found", () => {
  it.each<[string, string, string, Recovery, { now: number; attempts: number }]>([
    ["that may not be sent again yet", "reconciling", "not found yet", keyed, { now: T0 + MINUTE, attempts: 1 }],
    [
      "on a network that does not recognize repeats",
      "reconciling",
      "not found on the network",
      noRepeat,
      { now: T0 + MINUTE, attempts: 1 },
    ],
    ["by the last lookup", "outcome_unknown", "not found on the network", noRepeat, { now: T0 + HOUR, attempts: 1 }],
    [
      "after the last attempt",
      "outcome_unknown",
      "not found on the network after the last try",
      keyed,
      { now: T0 + MINUTE, attempts: SENDS_MAX },
    ],
  ])("a delivery that is not found, %s, is %s with the detail: %s", (_, state, detail, recovery, { now, attempts }) => {
    const next = decideReconciliation({ ...reconciling, attempts }, { is: "not_published" }, recovery, makeMoment(now));
    expect(next).toMatchObject({ state, detail });
  });
});

describe("a post that is being processed", () => {
  const processing = { ...retried, state: "processing" } as const;

  it("the outcome of a post that is being processed is unknown after a day", () => {
    const stillProcessing = { is: "processing", publishKey: {}, askAt: T0 } as const;
    expect(decideReconciliation(processing, stillProcessing, keyed, makeMoment(T0 + 25 * HOUR))).toMatchObject({
      state: "outcome_unknown",
      detail: "still being processed after a day",
    });
  });

  it("a post that is being processed is polled after a quarter of its age, between five seconds and five minutes", () => {
    const ages = [0, 20_000, MINUTE, 8 * MINUTE, 20 * MINUTE, HOUR];
    const waits = ages.map((age) => nextPollAt(T0, T0 + age) - (T0 + age));
    expect(waits).toEqual([5_000, 5_000, 15_000, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE]);
  });

  it("a post that is being processed is polled at a whole millisecond at any age", () => {
    for (const age of [60_001, 60_002, 60_003]) {
      expect(nextPollAt(T0, T0 + age) % 1).toBe(0);
      expect(nextPreparingAt(T0, T0 + age, T0) % 1).toBe(0);
    }
  });
});
