// Plans that the operator of a deployment sets by API.
import { createExecutionContext } from "cloudflare:test";
import { expect, it } from "vitest";
import { app } from "../../src/http/app.ts";
import { testEnv } from "../support/env.ts";
import { makeAccountKey } from "../support/keys.ts";
import { type Account, call, signUp } from "../support/world.ts";

const verify = ({ email }: Account) =>
  testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(email).run();
/** Calls a deployment with these operators. */
async function setPlan(operators: string, token: string, body: object) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const request = new Request("http://crier.test/v1/operator/plan", {
    method: "PUT",
    headers,
    body: JSON.stringify(body),
  });
  const response = await app.fetch(request, { ...testEnv, OPERATORS: operators }, createExecutionContext());
  return { status: response.status, body: await response.json() };
}
const readPlan = async ({ key }: Account) =>
  (await call<{ plan: string }>("GET", "/v1/usage", { token: key })).body.plan;

it("only an operator with a verified address sets plans, for all workspaces of an account, and the log says so", async () => {
  const [operator, customer, other] = [await signUp(), await signUp(), await signUp()];
  const body = { email: customer.email, plan: "pro", plan_status: "past_due" };
  const refused = { status: 403, body: { error: "not_an_operator" } };
  await verify(operator);
  expect(await setPlan("", operator.session, body)).toMatchObject(refused);
  const operators = `somebody@example.com, ${operator.email.toUpperCase()}`;
  await testEnv.DB.prepare("UPDATE users SET email_verified_at = NULL WHERE email = ?").bind(operator.email).run();
  expect(await setPlan(operators, operator.session, body)).toMatchObject(refused);
  await verify(operator);
  expect(await setPlan(operators, customer.session, body)).toMatchObject(refused);
  expect(await setPlan(operators, operator.session, body)).toMatchObject({
    status: 200,
    body: { workspaces: [{ id: customer.workspace, plan: "pro", plan_status: "past_due" }] },
  });
  expect(await readPlan(customer)).toBe("pro");
  expect(await readPlan(other)).toBe("unlimited");
  const log = await call("GET", "/v1/audit?act=workspace.changed", {
    token: customer.session,
    headers: { "x-workspace": customer.workspace },
  });
  expect(log.body).toMatchObject({
    audit: [{ details: { plan: "pro", plan_status: "past_due" }, actor: { name: "Ada" } }],
  });
  const { key } = await makeAccountKey(operator, ["workspaces"]);
  expect((await setPlan(operators, key, { email: customer.email, plan: "free" })).status).toBe(200);
  expect(await readPlan(customer)).toBe("free");
  expect((await setPlan(operators, key, { email: "nobody@example.com", plan: "free" })).status).toBe(404);
  expect(await setPlan(operators, key, { email: customer.email, plan: "gold" })).toMatchObject({
    status: 422,
    body: { field: "/plan" },
  });
});
