// A network accepts a certain number of posts in 24 hours, and does not say when there is room again.
import { expect, it } from "vitest";
import { type DeliveryFacts, decideOutcome } from "../../../src/domain/delivery/decide-outcome.ts";
import type { Retryable } from "../../../src/domain/delivery/outcome.ts";
import { SENDS_MAX } from "../../../src/domain/delivery/retry.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { fresh, keyed, makeMoment, T0 } from "./delivery-facts.ts";

const makeQuotaRefusal = (notBefore: number): Retryable => ({
  is: "retryable",
  error: "network_quota",
  notBefore,
  isOfDay: true,
});

/** Lists the times of all tries until the delivery fails, counted from its scheduled time. Each call takes `callMs`. */
function findTries(callMs: number): number[] {
  const tries: number[] = [];
  let facts: DeliveryFacts = fresh;
  let now = T0;
  for (let state = "retry_wait"; state === "retry_wait"; ) {
    tries.push(now - T0);
    const answeredAt = now + callMs;
    const next = decideOutcome(facts, makeQuotaRefusal(answeredAt + HOUR_MS), keyed, makeMoment(answeredAt));
    facts = { ...facts, retries: next.retries };
    state = next.state;
    now = next.nextAt ?? now;
  }
  return tries;
}

it("a delivery that meets a daily quota is retried after an hour, then at growing intervals, and last shortly before its day ends", () => {
  const tries = findTries(0);
  expect(tries).toEqual([0, 1, 2, 4, 8, 16, 24].map((hours) => hours * HOUR_MS - (hours === 24 ? 10 * MINUTE_MS : 0)));
  expect(tries).toHaveLength(SENDS_MAX);
});

it("a delivery that meets a daily quota has its last attempt within its day, even if the network answers slowly", () => {
  expect(findTries(30_000).at(-1)).toBe(24 * HOUR_MS - 10 * MINUTE_MS);
});

it("a network with a daily quota is never called before the time that it names, nor after the delivery's day", () => {
  const decideAfter = (hours: number, wait: number) =>
    decideOutcome(fresh, makeQuotaRefusal(T0 + (hours + wait) * HOUR_MS), keyed, makeMoment(T0 + hours * HOUR_MS));
  expect(decideAfter(20, 3).nextAt).toBe(T0 + 23 * HOUR_MS);
  expect(decideAfter(23, 1)).toMatchObject({ state: "retry_wait", nextAt: T0 + 24 * HOUR_MS });
  expect(decideAfter(23.5, 1)).toMatchObject({ state: "failed", error: "network_quota" });
});
