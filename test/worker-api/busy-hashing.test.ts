// Passwords are hashed by a separate object, which refuses a hash while too many others are waiting.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { testEnv } from "../support/env.ts";
import { signUp, unique } from "../support/world.ts";

/** A binding to an object that refuses every hash. */
const busy = { getByName: () => ({ hash: async () => null, verify: async () => null }) };

async function send(path: string, body: object) {
  const request = new Request(`http://crier.test${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, PASSWORDS: busy }, execution);
  await waitOnExecutionContext(execution);
  return { status: response.status, retryAfter: response.headers.get("retry-after"), body: await response.json() };
}

const BUSY = { status: 503, retryAfter: "2", body: { error: "service_busy" } };

it("answers 503 with Retry-After to a sign-in while too many hashes are waiting", async () => {
  const { email, password } = await signUp();
  expect(await send("/v1/auth/login", { email, password })).toMatchObject(BUSY);
});

it("gives a sign-in to an unknown account the same answer, which does not reveal that the account is unknown", async () => {
  expect(await send("/v1/auth/login", { email: `${unique("a")}@example.com`, password: "wrong horse" })).toMatchObject(
    BUSY,
  );
});

it("answers 503 to a sign-up, and creates no account", async () => {
  const account = { email: `${unique("a")}@example.com`, password: unique("long enough ") };
  expect(await send("/v1/auth/signup", account)).toMatchObject(BUSY);
  const count = testEnv.DB.prepare("SELECT COUNT(*) AS n FROM users WHERE email = ?").bind(account.email);
  expect(await count.first("n")).toBe(0);
});
