// Calls of a deployment on one of the platform's plans, with the number of their statements.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import type { AccountPlan } from "../../src/domain/account-plan.ts";
import { app } from "../../src/http/app.ts";
import { countedDatabase } from "./counted-db.ts";
import { testEnv } from "./env.ts";
import type { Account } from "./world.ts";

/** Makes a call on a deployment on this plan. Returns its answer and the number of its statements. */
export async function callOnPlan<Body = Record<string, unknown>>(
  plan: AccountPlan,
  { key, session, workspace }: Account,
  method: string,
  path: string,
  {
    body,
    type = "application/json",
    database = testEnv.DB,
  }: { body?: object | string; type?: string; database?: D1Database } = {},
) {
  let statements = 0;
  const { db } = countedDatabase(database, {
    isOn: () => false,
    beforeRoundTrip: async (count) => {
      statements += count;
    },
  });
  const request = new Request(`http://crier.test${path}`, {
    method,
    headers: path.startsWith("/v1/audit")
      ? { authorization: `Bearer ${session}`, "x-workspace": workspace }
      : { authorization: `Bearer ${key}`, "content-type": type },
    body: typeof body === "object" ? JSON.stringify(body) : body,
  });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, DB: db, ACCOUNT_PLAN: plan }, execution);
  const text = await response.text();
  await waitOnExecutionContext(execution);
  return { status: response.status, text, json: (): Body => JSON.parse(text), statements };
}
