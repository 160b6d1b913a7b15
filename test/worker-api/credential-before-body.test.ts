// Parsing a body takes time. For an operation that needs a credential, nobody can make the Worker spend that time without one.
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

/** What a call with an endless body came to, and how many bytes of the body the Worker asked for. */
async function callEndlessly(path: string, method: string, token: string, headers: Record<string, string>) {
  let bytesRead = 0;
  const chunk = new TextEncoder().encode("[".repeat(4_096));
  // A stream asks for its first chunk by itself unless nothing may wait in it.
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
const madeUp: [string, string][] = [
  ["a made-up key whose checksum is right", makeWorkspaceKey(entropy)],
  ["a made-up session", makeSessionToken(entropy)],
  ["a text that is no credential", "x"],
];

let revokedKey: string;
let endedSession: { token: string; workspace: string };
beforeAll(async () => {
  const account = await signUp();
  // Both were good a moment ago.
  const rotated = await call("POST", `/v1/workspaces/${account.workspace}/key/rotate`, { token: account.session });
  expect(rotated.status).toBe(200);
  expect((await call("POST", "/v1/auth/logout", { token: account.session })).status).toBe(204);
  revokedKey = account.key;
  endedSession = { token: account.session, workspace: account.workspace };
});

describe.each(withBody)("%s", (_name, operation) => {
  const path = operation.path.replace(/:(\w+)/g, "x");
  const type = "fileTypes" in operation ? "text/csv" : "application/json";

  it.each(madeUp)("does not read the body for %s", async (_credential, token) => {
    const headers = { "content-type": type, "x-workspace": "ws_00000000000000000000000000" };
    const answer = await callEndlessly(path, operation.method, token, headers);
    expect(answer).toMatchObject({ status: 401, bytesRead: 0 });
  });

  it("refuses a revoked key and an ended session before it judges the body", async () => {
    const headers = { "content-type": type };
    const byKey = await callEndlessly(path, operation.method, revokedKey, headers);
    expect(byKey).toMatchObject({ status: 401, error: "key_revoked" });
    const { token, workspace } = endedSession;
    const bySession = await callEndlessly(path, operation.method, token, { ...headers, "x-workspace": workspace });
    expect(bySession).toMatchObject({ status: 401, error: "session_expired" });
  });
});

it("MCP does not read the body for a made-up credential", async () => {
  for (const [, token] of madeUp) {
    const answer = await callEndlessly("/mcp", "POST", token, { "content-type": "application/json" });
    expect(answer).toMatchObject({ status: 401, bytesRead: 0 });
  }
});
