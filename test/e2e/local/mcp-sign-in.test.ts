// Signing in at the MCP address with the protocol's conformance suite: metadata, and a code for tokens, over loopback
// against a local run.
import { spawn } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { freePort } from "../../../scripts/local/ports.ts";
import { json, type Run, start, stopAll } from "./running.ts";

let crier: Run;
beforeAll(async () => {
  crier = await start({ DEMO: "0" });
});
afterAll(stopAll);

/** A new person opens the page of the suite's authorization request, decides, and follows the redirect. */
async function approveAsNewUser(page: string): Promise<void> {
  const account = { email: `u${Date.now()}@example.com`, password: "correct horse battery" };
  const { token, workspaces } = await json<{ token: string; workspaces: { id: string }[] }>(
    `${crier.url}/v1/auth/signup`,
    undefined,
    account,
  );
  const headers = { cookie: `session=${token}`, origin: crier.url };
  const html = await (await fetch(page, { headers })).text();
  const consent = /name="consent" value="(\w{64})"/.exec(html)?.[1] ?? "";
  const body = new URLSearchParams({ consent, workspace: workspaces[0]?.id ?? "", step: "allow" });
  const answer = await fetch(page, { method: "POST", headers, body, redirect: "manual" });
  expect(answer.status).toBe(303);
  expect((await fetch(answer.headers.get("location") ?? "")).status).toBe(200);
}

it("passes the conformance suite for authorization servers", async () => {
  const port = await freePort();
  const { client_id } = await json<{ client_id: string }>(`${crier.url}/oauth/register`, undefined, {
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
    token_endpoint_auth_method: "none",
  });
  const suite = join(import.meta.dirname, "../../../node_modules/.bin/conformance");
  const options = ["--url", crier.url, "--resource", `${crier.url}/mcp`, "--client-id", client_id, "-p", String(port)];
  const child = spawn(suite, ["authorization", ...options], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const consentPage = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text) => {
        output += text;
        const page = /http:\S+\/oauth\/authorize\?\S+/.exec(output)?.[0];
        if (page !== undefined) resolve(page);
      });
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await approveAsNewUser(await Promise.race([consentPage, ended.then(() => output)]));
  expect({ code: await ended, output }).toMatchObject({ code: 0, output: expect.stringContaining("0 failed") });
  expect(output).not.toMatch(/[1-9]\d* failed|skipped/);
});
