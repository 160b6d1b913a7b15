// Parsing a body takes time. A caller without a credential cannot make the Worker spend this time on an operation that
// requires one.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { operations } from "../../src/contract/index.ts";
import { has } from "../../src/contract/operation.ts";
import { makeSessionToken, makeWorkspaceKey } from "../../src/domain/ids.ts";
import { app } from "../../src/http/app.ts";
import { serveMcp } from "../../src/mcp/front.ts";
import { testEnv } from "../support/env.ts";
import { call, signUp } from "../support/world.ts";

const entropy = (length: number) => crypto.getRandomValues(new Uint8Array(length));

/** Makes a call with an endless body. Returns the answer and the number of body bytes that the Worker requested. */
async function callWithEndlessBody(path: string, method: string, token: string, headers: Record<string, string>) {
  let bytesRead = 0;
  const chunk = new TextEncoder().encode("[".repeat(4_096));
  // A stream requests its first chunk by itself unless its queue has no room.
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        bytesRead += chunk.byteLength;
        controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
  const init = { method, body, headers: { authorization: `Bearer ${token}`, ...headers } };
  const request = new Request(`http://crier.test${path}`, init);
  const execution = createExecutionContext();
  const response =
    path === "/mcp"
      ? await serveMcp(request, testEnv, (work) => execution.waitUntil(work))
      : await app.fetch(request, testEnv, execution);
  const { error } = await response.json<{ error: string }>();
  await waitOnExecutionContext(execution);
  return { status: response.status, error, bytesRead };
}

const withBody = Object.entries(operations).filter(
  ([, operation]) => has(operation, "body") && operation.auth !== "none",
);
const inventedCredentials: [string, string][] = [
  ["an invented key with a valid checksum", makeWorkspaceKey(entropy)],
  ["an invented session", makeSessionToken(entropy)],
  ["a text that is not a credential", "x"],
];

let revokedKey: string;
let endedSession: { token: string; workspace: string };
beforeAll(async () => {
  const account = await signUp();
  // Both credentials were valid a moment ago.
  const rotated = await call("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session });
  expect(rotated.status).toBe(200);
  expect((await call("POST", "/v1/auth/logout", { token: account.session })).status).toBe(204);
  revokedKey = account.key;
  endedSession = { token: account.session, workspace: account.workspace };
});

describe.each(withBody)("%s", (_name, operation) => {
  const path = operation.path.replace(/:(\w+)/g, "x");
  const type = "fileTypes" in operation ? "text/csv" : "application/json";

  it.each(inventedCredentials)("does not read the body for %s", async (_credential, token) => {
    const headers = { "content-type": type, "x-workspace": "ws_00000000000000000000000000" };
    const answer = await callWithEndlessBody(path, operation.method, token, headers);
    expect(answer).toMatchObject({ status: 401, bytesRead: 0 });
  });

  it("refuses a revoked key and an ended session before it checks the body", async () => {
    const headers = { "content-type": type };
    const byKey = await callWithEndlessBody(path, operation.method, revokedKey, headers);
    expect(byKey).toMatchObject({ status: 401, error: "key_revoked" });
    const { token, workspace } = endedSession;
    const bySession = await callWithEndlessBody(path, operation.method, token, {
      ...headers,
      "x-workspace": workspace,
    });
    expect(bySession).toMatchObject({ status: 401, error: "session_expired" });
  });
});

it("MCP does not read the body for an invented credential", async () => {
  for (const [, token] of inventedCredentials) {
    const answer = await callWithEndlessBody("/mcp", "POST", token, { "content-type": "application/json" });
    expect(answer).toMatchObject({ status: 401, bytesRead: 0 });
  }
});
