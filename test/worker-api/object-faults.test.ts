// Objects that fail on the way, as the platform marks it: what calls them does not notice.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
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
