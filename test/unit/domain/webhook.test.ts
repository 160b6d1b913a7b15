import { describe, expect, it } from "vitest";
import { disabledBy, nextAttemptAt, type WebhookAnswer } from "../../../src/domain/webhook.ts";

const T = 1_800_000_000_000;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const makeAnswer = (status: number | null, fields: Partial<WebhookAnswer> = {}): WebhookAnswer => ({
  outcome: status === null ? "network_error" : status < 300 && status >= 200 ? "delivered" : "refused",
  status,
  retryAfterMs: null,
  durationMs: 10,
  response: null,
  ...fields,
});
const listWaits = (jitter: number) =>
  Array.from({ length: 10 }, (_, i) => {
    const attemptAt = nextAttemptAt(i + 1, makeAnswer(500), T, jitter);
    return attemptAt === null ? null : attemptAt - T;
  });

describe("an endpoint that does not accept an event", () => {
  it("an endpoint is called ten times over 75 hours and 35 minutes, with each wait within 20 % of its planned length", () => {
    const middle = listWaits(0.5);
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
      const edge = listWaits(jitter).map((wait) => wait ?? 0);
      edge.forEach((wait, i) => {
        expect(wait / ((middle[i] ?? 0) || 1)).toBeCloseTo(i === 9 ? 0 : factor, 3);
      });
    }
  });

  it("an overloaded endpoint is not called for at least a minute", () => {
    for (const status of [429, 502, 504]) expect(nextAttemptAt(1, makeAnswer(status), T, 0.5)).toBe(T + MINUTE);
    expect(nextAttemptAt(1, makeAnswer(null, { outcome: "timeout" }), T, 0.5)).toBe(T + MINUTE);
    expect(nextAttemptAt(1, makeAnswer(503), T, 0.5)).toBe(T + 5_000);
  });

  it("an endpoint that sends Retry-After gets a wait between the usual one and twice that", () => {
    const waitAfter = (retryAfterMs: number) => (nextAttemptAt(2, makeAnswer(503, { retryAfterMs }), T, 0.5) ?? 0) - T;
    expect(waitAfter(1_000)).toBe(5 * MINUTE);
    expect(waitAfter(7 * MINUTE)).toBe(7 * MINUTE);
    expect(waitAfter(DAY)).toBe(10 * MINUTE);
  });

  it("an endpoint is not retried after 2xx or 410, but after a redirect", () => {
    expect(nextAttemptAt(1, makeAnswer(204), T, 0.5)).toBeNull();
    expect(nextAttemptAt(1, makeAnswer(410), T, 0.5)).toBeNull();
    expect(nextAttemptAt(1, makeAnswer(301), T, 0.5)).not.toBeNull();
  });
});

describe("an endpoint that is disabled", () => {
  it("an endpoint is disabled at once if it answers 410 Gone", () => {
    expect(disabledBy(makeAnswer(410), null, T)).toBe("gone");
  });

  it("an endpoint is disabled after five days in which it accepted nothing", () => {
    expect(disabledBy(makeAnswer(500), null, T)).toBeNull();
    expect(disabledBy(makeAnswer(500), T - 5 * DAY + 1, T)).toBeNull();
    expect(disabledBy(makeAnswer(500), T - 5 * DAY, T)).toBe("failing");
    expect(disabledBy(makeAnswer(200), T - 9 * DAY, T)).toBeNull();
  });
});
