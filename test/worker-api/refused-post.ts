// A post that is refused.
import { expect } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call } from "../support/world.ts";

const tables = ["posts", "deliveries", "media_uses", "usage_months", "idempotency_keys", "events"];

/** All rows of all tables that a post could touch, of one workspace. */
export async function digest(workspace: string): Promise<string> {
  const found = await testEnv.DB.batch(
    tables.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name} WHERE workspace_id = ?`).bind(workspace)),
  );
  return JSON.stringify(found.map(({ results }) => results));
}

export async function refused(account: Account, body: object) {
  const before = await digest(account.workspace);
  const answer = await call<{ error: string; violations?: { code: string; field: string }[] }>("POST", "/v1/posts", {
    token: account.key,
    body,
  });
  expect(await digest(account.workspace)).toBe(before);
  return answer;
}
