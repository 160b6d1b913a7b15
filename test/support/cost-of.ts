import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { app } from "../../src/http/app.ts";
import { countedDatabase, type DatabaseUse } from "./counted-db.ts";
import { testEnv } from "./env.ts";
import type { Account } from "./world.ts";

/** Makes a call of the API, and measures its use of the database. */
export async function measureCost<Body>(
  { key }: Pick<Account, "key">,
  method: string,
  path: string,
  body?: object,
): Promise<{ status: number; body: Body; use: DatabaseUse }> {
  const { db, use } = countedDatabase(testEnv.DB);
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const request = new Request(`http://crier.test${path}`, { method, headers, body: body && JSON.stringify(body) });
  const execution = createExecutionContext();
  const response = await app.fetch(request, { ...testEnv, DB: db }, execution);
  const answer: Body = JSON.parse((await response.text()) || "null");
  await waitOnExecutionContext(execution);
  return { status: response.status, body: answer, use };
}
