// Objects that fail on the way, as the platform marks it: what calls them does not notice.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { OBJECT_LIMITS, QUEUE_LIMITS } from "../support/daily-limits.ts";
import { testEnv } from "../support/env.ts";
import { unique } from "../support/world.ts";

const lost = () => Object.assign(new Error("Network connection lost."), { retryable: true });

it("signs a person up although the counter of tries is lost on the way once", async () => {
  let failed = 0;
  const COUNTER = new Proxy(testEnv.COUNTER, {
    get: (target, name) => {
      if (name !== "getByName") return Reflect.get(target, name);
      return (id: string) => {
        const stub = target.getByName(id);
        return {
          take: async (...input: Parameters<typeof stub.take>) => {
            if (failed++ === 0) throw lost();
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

it("logs that the sweeper could not be started, and goes on", async () => {
  const logged = vi.spyOn(console, "error").mockImplementation(() => {});
  const SWEEPER = new Proxy(testEnv.SWEEPER, {
    get: () => () => ({ ensure: () => Promise.reject(new Error("Durable Object is overloaded.")) }),
  });
  await worker.scheduled({ scheduledTime: 0, cron: "* * * * *", noRetry() {} }, { ...testEnv, SWEEPER });
  expect(logged.mock.calls.flat().join()).toContain("sweeper_not_started");
  logged.mockRestore();
});

/** Calls the API in a world in which every counter says `text`. */
async function signUpWhere(text: string, marks: object = {}) {
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

it.each(OBJECT_LIMITS)("answers 503 until midnight UTC while objects say %s", async (text) => {
  const { status, retryAfter, body } = await signUpWhere(text);
  expect([status, body.error]).toEqual([503, "daily_limit_reached"]);
  expect(retryAfter).toBeGreaterThan(0);
  expect(retryAfter).toBeLessThanOrEqual(86_400);
  expect(body.hint).toMatch(/T00:00:00\.000Z/);
});

it("answers 503 for a moment when an object is overloaded", async () => {
  const answer = await signUpWhere("Durable Object is overloaded. Too many requests queued.", { overloaded: true });
  expect(answer).toMatchObject({ status: 503, retryAfter: 2, body: { error: "service_busy" } });
});

it.each(QUEUE_LIMITS)("answers 503 until midnight UTC when a queue says %s", async (text) => {
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
