// What is written with a new state: the words that callers read, the publish key that is kept, and whether a call is open.
import { describe, expect, it } from "vitest";
import {
  type DeliveryFacts,
  decideFailure,
  decideOutcome,
  type Recovery,
} from "../../../src/domain/delivery/decide-outcome.ts";
import { decideReconciliation } from "../../../src/domain/delivery/decide-reconciliation.ts";
import { nextPollAt, nextPreparingAt, SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { at, busy, fresh, HOUR, keyed, live, MINUTE, rejected, T0 } from "./delivery-facts.ts";

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

  it("keeps the stored publish key and the channel unchanged if the network does not mention them", () => {
    expect(decideOutcome(open, live, keyed, at(T0))).toStrictEqual({ ...unchanged, live });
  });

  it("stores the publish key and the note that the network returns with it", () => {
    const given = { ...live, publishKey: { id: "1" }, note: "shown to friends only" };
    expect(decideOutcome(open, given, keyed, at(T0))).toStrictEqual({
      ...unchanged,
      live: given,
      publishKey: given.publishKey,
      detail: given.note,
    });
  });
});

describe("a call that is open", () => {
  it("is closed by a temporary or permanent refusal", () => {
    for (const answer of [busy, rejected])
      expect(decideOutcome(retried, answer, keyed, at(T0)).hasOpenSend).toBe(false);
    expect(decideOutcome(retried, { ...busy, retryAt: T0 + 5_000 }, keyed, at(T0)).hasOpenSend).toBe(false);
    expect(decideFailure(retried, "internal_error", { detail: "given up" }).hasOpenSend).toBe(false);
  });

  it("stays open while its outcome is unknown, even after the delivery has ended", () => {
    expect(decideFailure(open, "internal_error", { detail: "given up" })).toMatchObject({
      state: "outcome_unknown",
      hasOpenSend: true,
    });
    expect(decideOutcome(open, { is: "processing", publishKey: {}, askAt: T0 }, keyed, at(T0)).hasOpenSend).toBe(true);
  });

  it("is not closed if the network refuses the lookup", () => {
    expect(decideReconciliation(reconciling, rejected, keyed, at(T0))).toMatchObject({
      state: "reconciling",
      hasOpenSend: true,
      error: null,
      detail: "no",
    });
  });
});

it("a delivery that was not attempted waits as long as it says and keeps its attempts", () => {
  const tried = { ...fresh, retries: 6 };
  const untried = { ...busy, untriedUntil: T0 + 20_000 };
  expect(decideOutcome(tried, untried, keyed, at(T0))).toMatchObject({
    state: "retry_wait",
    nextAt: T0 + 20_000,
    retries: 6,
  });
  const tooLate = { ...busy, untriedUntil: tried.scheduledFor + 24 * HOUR + 1 };
  expect(decideOutcome(tried, tooLate, keyed, at(T0))).toMatchObject({ state: "failed", error: busy.error });
});

describe("a delivery that is refused", () => {
  it("temporarily keeps the network's message while it waits", () => {
    const says = { error: "network_unavailable", detail: "down" };
    expect(decideOutcome(retried, busy, keyed, at(T0))).toMatchObject({ state: "retry_wait", ...says });
    expect(decideOutcome(retried, { ...busy, notBefore: T0 + HOUR }, keyed, at(T0))).toMatchObject({
      state: "retry_wait",
      ...says,
    });
    const preparing = decideOutcome(retried, { ...busy, retryAt: T0 + 5_000 }, keyed, at(T0));
    expect(preparing).toMatchObject({ state: "staged", error: null, detail: "down" });
  });

  it("because of a void publish key uses one attempt, as a refused send does", () => {
    const voided = { is: "void", error: "media_refused", detail: "expired" } as const;
    expect(decideReconciliation(reconciling, voided, keyed, at(T0))).toMatchObject({
      retries: 3,
      nextAt: decideOutcome(retried, busy, keyed, at(T0)).nextAt,
      error: "media_refused",
      detail: "expired",
      event: "delivery.retrying",
    });
  });
});

describe("a delivery that is not found", () => {
  it.each<[string, string, string, Recovery, { now: number; attempts: number }]>([
    ["before it may be sent again", "reconciling", "not found yet", keyed, { now: T0 + MINUTE, attempts: 1 }],
    [
      "where no repeat is known",
      "reconciling",
      "not found on the network",
      noRepeat,
      { now: T0 + MINUTE, attempts: 1 },
    ],
    ["for the last time", "outcome_unknown", "not found on the network", noRepeat, { now: T0 + HOUR, attempts: 1 }],
    [
      "when no send is left",
      "outcome_unknown",
      "not found on the network after the last try",
      keyed,
      { now: T0 + MINUTE, attempts: SENDS_MAX },
    ],
  ])("%s is %s, and says: %s", (_, state, detail, recovery, { now, attempts }) => {
    const next = decideReconciliation({ ...reconciling, attempts }, { is: "not_published" }, recovery, at(now));
    expect(next).toMatchObject({ state, detail });
  });
});

describe("a post that is being processed", () => {
  const processing = { ...retried, state: "processing" } as const;

  it("is unknown after a day, and says so", () => {
    const asked = { is: "processing", publishKey: {}, askAt: T0 } as const;
    expect(decideReconciliation(processing, asked, keyed, at(T0 + 25 * HOUR))).toMatchObject({
      state: "outcome_unknown",
      detail: "still being processed after a day",
    });
  });

  it("is polled after a quarter of its age, between five seconds and five minutes", () => {
    const ages = [0, 20_000, MINUTE, 8 * MINUTE, 20 * MINUTE, HOUR];
    const waits = ages.map((age) => nextPollAt(T0, T0 + age) - (T0 + age));
    expect(waits).toEqual([5_000, 5_000, 15_000, 2 * MINUTE, 5 * MINUTE, 5 * MINUTE]);
  });

  it("is polled at a whole millisecond at any age", () => {
    for (const age of [60_001, 60_002, 60_003]) {
      expect(nextPollAt(T0, T0 + age) % 1).toBe(0);
      expect(nextPreparingAt(T0, T0 + age, T0) % 1).toBe(0);
    }
  });
});
