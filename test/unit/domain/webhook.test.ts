import { describe, expect, it } from "vitest";
import { disabledBy, nextAttemptAt, type WebhookAnswer } from "../../../src/domain/webhook.ts";

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const answer = (status: number | null, more: Partial<WebhookAnswer> = {}): WebhookAnswer => ({
  outcome: status === null ? "network_error" : status < 300 && status >= 200 ? "delivered" : "refused",
  status,
  retryAfterMs: null,
  durationMs: 10,
  response: null,
  ...more,
});
const waits = (jitter: number) =>
  Array.from({ length: 10 }, (_, i) => {
    const at = nextAttemptAt(i + 1, answer(500), T, jitter);
    return at === null ? null : at - T;
  });

describe("an endpoint that does not take an event", () => {
  it("is called ten times over 75 hours and 35 minutes, with each wait within 20 % of its planned length", () => {
    const middle = waits(0.5);
    expect(middle).toEqual([
      5_000,
      ...[5, 30, 120, 300, 600, 840, 1200, 1440].map((minutes) => minutes * MINUTE),
      null,
    ]);
    expect(middle.reduce<number>((sum, wait) => sum + (wait ?? 0), 0)).toBe(75 * HOUR + 35 * MINUTE + 5_000);
    for (const [jitter, factor] of [
      [0, 0.8],
      [0.999999, 1.2],
    ] as const) {
      const edge = waits(jitter).map((wait) => wait ?? 0);
      edge.forEach((wait, i) => {
        expect(wait / ((middle[i] ?? 0) || 1)).toBeCloseTo(i === 9 ? 0 : factor, 3);
      });
    }
  });

  it("is left alone for at least a minute when it is overloaded", () => {
    for (const status of [429, 502, 504]) expect(nextAttemptAt(1, answer(status), T, 0.5)).toBe(T + MINUTE);
    expect(nextAttemptAt(1, answer(null, { outcome: "timeout" }), T, 0.5)).toBe(T + MINUTE);
    expect(nextAttemptAt(1, answer(503), T, 0.5)).toBe(T + 5_000);
  });

  it("gets a wait between the usual one and twice that if it sends Retry-After", () => {
    const asked = (retryAfterMs: number) => (nextAttemptAt(2, answer(503, { retryAfterMs }), T, 0.5) ?? 0) - T;
    expect(asked(1_000)).toBe(5 * MINUTE);
    expect(asked(7 * MINUTE)).toBe(7 * MINUTE);
    expect(asked(DAY)).toBe(10 * MINUTE);
  });

  it("is not retried after 2xx or 410, but after a redirect", () => {
    expect(nextAttemptAt(1, answer(204), T, 0.5)).toBeNull();
    expect(nextAttemptAt(1, answer(410), T, 0.5)).toBeNull();
    expect(nextAttemptAt(1, answer(301), T, 0.5)).not.toBeNull();
  });
});

describe("an endpoint is switched off", () => {
  it("at once when it answers that it is gone", () => {
    expect(disabledBy(answer(410), null, T)).toBe("gone");
  });

  it("after five days in which it accepted nothing", () => {
    expect(disabledBy(answer(500), null, T)).toBeNull();
    expect(disabledBy(answer(500), T - 5 * DAY + 1, T)).toBeNull();
    expect(disabledBy(answer(500), T - 5 * DAY, T)).toBe("failing");
    expect(disabledBy(answer(200), T - 9 * DAY, T)).toBeNull();
  });
});
