// Failures of Durable Objects and queues, marked as the platform marks them.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { OBJECT_LIMITS, QUEUE_LIMITS } from "../support/daily-limits.ts";
import { testEnv } from "../support/env.ts";
import { unique } from "../support/world.ts";

const createLostError = () => Object.assign(new Error("Network connection lost."), { retryable: true });

it("a person signs up although one call of the counter of tries is lost", async () => {
  let failed = 0;
  const COUNTER = new Proxy(testEnv.COUNTER, {
    get: (target, name) => {
      if (name !== "getByName") return Reflect.get(target, name);
      return (id: string) => {
        const stub = target.getByName(id);
        return {
          take: async (...input: Parameters<typeof stub.take>) => {
            if (failed++ === 0) throw createLostError();
            return stub.take(...input);
          },
          clear: () => stub.clear(),
        };
      };
    },
  });
  const body = JSON.stringify({ email: `${unique("a")}@example.com`, password: unique("long enough ") });
  const request = new Request<unknown, IncomingRequestCfProperties>("http://crier.test/v1/auth/signup", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": "203.0.113.9" },
    body,
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...testEnv, COUNTER }, execution);
  expect(response.status).toBe(201);
  expect(failed).toBeGreaterThan(1);
  await waitOnExecutionContext(execution);
});

it("a sweeper that cannot be started is logged, and the schedule goes on", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const SWEEPER = new Proxy(testEnv.SWEEPER, {
    get: () => () => ({ ensure: () => Promise.reject(new Error("Durable Object is overloaded.")) }),
  });
  await worker.scheduled({ scheduledTime: 0, cron: "* * * * *", noRetry() {} }, { ...testEnv, SWEEPER });
  expect(logged.mock.calls.flat().join()).toContain("sweeper_not_started");
  logged.mockRestore();
});

/** Signs up while each counter fails with `text`. */
async function signUpWithFailingCounters(text: string, marks: object = {}) {
  const fail = () => Promise.reject(Object.assign(new Error(text), marks));
  const COUNTER = new Proxy(testEnv.COUNTER, { get: () => () => ({ take: fail, clear: fail }) });
  const request = new Request<unknown, IncomingRequestCfProperties>("http://crier.test/v1/auth/signup", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": "203.0.113.9" },
    body: JSON.stringify({ email: `${unique("a")}@example.com`, password: unique("long enough ") }),
  });
  const execution = createExecutionContext();
  const response = await worker.fetch(request, { ...testEnv, COUNTER }, execution);
  await waitOnExecutionContext(execution);
  const body = await response.json<{ error: string; hint: string }>();
  return { status: response.status, retryAfter: Number(response.headers.get("retry-after")), body };
}

it.each(OBJECT_LIMITS)("a sign-up is answered with 503 until midnight UTC while objects fail with %s", async (text) => {
  const { status, retryAfter, body } = await signUpWithFailingCounters(text);
  expect([status, body.error]).toEqual([503, "daily_limit_reached"]);
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(86_400);
  expect(body.hint).toMatch(/T00:00:00\.000Z/);
});

it("a sign-up is answered with 503 for a moment while an object is overloaded", async () => {
  const answer = await signUpWithFailingCounters("Durable Object is overloaded. Too many requests queued.", {
    overloaded: true,
  });
  expect(answer).toMatchObject({ status: 503, retryAfter: 2, body: { error: "service_busy" } });
});

it.each(QUEUE_LIMITS)("a call is answered with 503 until midnight UTC while a queue fails with %s", async (text) => {
  const MAINTENANCE = new Proxy(testEnv.MAINTENANCE, { get: () => () => Promise.reject(new Error(text)) });
  const execution = createExecutionContext();
  const request = new Request<unknown, IncomingRequestCfProperties>("http://crier.test/v1/auth/forgot", {
    method: "POST",
    headers: { "content-type": "application/json", "cf-connecting-ip": "203.0.113.9" },
    body: JSON.stringify({ email: `${unique("a")}@example.com` }),
  });
  const response = await worker.fetch(request, { ...testEnv, MAINTENANCE }, execution);
  await waitOnExecutionContext(execution);
  expect(response.status).toBe(503);
  expect(await response.json()).toMatchObject({ error: "daily_limit_reached" });
});
