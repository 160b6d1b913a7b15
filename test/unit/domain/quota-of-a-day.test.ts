// A network that takes so many posts in any 24 hours and does not say when there is room again.
import { expect, it } from "vitest";
import type { Retryable } from "../../../src/domain/delivery/outcome.ts";
import { SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { type DeliveryFacts, settle } from "../../../src/domain/delivery/settle.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { at, fresh, keyed, T0 } from "./delivery-facts.ts";

const full = (notBefore: number): Retryable => ({
  is: "retryable",
  error: "network_quota",
  notBefore,
  isOfDay: true,
});

/** Until the delivery has failed: when it was tried, counted from its time, with a call of so many milliseconds each. */
function triesOf(callMs: number): number[] {
  const tries: number[] = [];
  let facts: DeliveryFacts = fresh;
  let now = T0;
  for (let state = "retry_wait"; state === "retry_wait"; ) {
    tries.push(now - T0);
    const answeredAt = now + callMs;
    const next = settle(facts, full(answeredAt + HOUR_MS), keyed, at(answeredAt));
    facts = { ...facts, retries: next.retries };
    state = next.state;
    now = next.nextAt ?? now;
  }
  return tries;
}

it("is tried again after an hour, then ever more rarely, and last shortly before the delivery's day is over", () => {
  const tries = triesOf(0);
  expect(tries).toEqual([0, 1, 2, 4, 8, 16, 24].map((hours) => hours * HOUR_MS - (hours === 24 ? 10 * MINUTE_MS : 0)));
  expect(tries).toHaveLength(SENDS_MAX);
});

it("has its last try within the day however slowly it answers", () => {
  expect(triesOf(30_000).at(-1)).toBe(24 * HOUR_MS - 10 * MINUTE_MS);
});

it("is never asked before the time that it must be left alone until, nor after the day", () => {
  const ask = (hours: number, wait: number) =>
    settle(fresh, full(T0 + (hours + wait) * HOUR_MS), keyed, at(T0 + hours * HOUR_MS));
  expect(ask(20, 3).nextAt).toBe(T0 + 23 * HOUR_MS);
  expect(ask(23, 1)).toMatchObject({ state: "retry_wait", nextAt: T0 + 24 * HOUR_MS });
  expect(ask(23.5, 1)).toMatchObject({ state: "failed", error: "network_quota" });
});
