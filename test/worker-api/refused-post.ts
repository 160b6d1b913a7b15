// Posts that are refused without an effect.
import { expect } from "vitest";
import { testEnv } from "../support/env.ts";
import { type Account, call } from "../support/world.ts";

const tables = ["posts", "deliveries", "media_uses", "usage_months", "idempotency_keys", "events"];

/** Reads all rows of a workspace that a post could change. */
export async function readDigest(workspace: string): Promise<string> {
  const tableRows = await testEnv.DB.batch(
    tables.map((name) => testEnv.DB.prepare(`SELECT * FROM ${name} WHERE workspace_id = ?`).bind(workspace)),
  );
  return JSON.stringify(tableRows.map(({ results }) => results));
}

export async function sendRefusedPost(account: Account, body: object) {
  const before = await readDigest(account.workspace);
  const answer = await call<{ error: string; violations?: { code: string; field: string }[] }>("POST", "/v1/posts", {
    token: account.key,
    body,
  });
  expect(await readDigest(account.workspace)).toBe(before);
  return answer;
}
