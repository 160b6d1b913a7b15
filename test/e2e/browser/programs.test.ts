// Keys, applications and webhooks in the dashboard: created, used by a program, and revoked.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { startReceivers } from "../../support/webhook-receivers.ts";
import { json } from "../local/running.ts";
import { chooseInMenu, expectAccessible, expectFocusIn } from "./browsing.ts";
import { useDemo } from "./demo.ts";

const demo = useDemo();

describe("a key", () => {
  it("is created, used by a program, and no longer works once it is revoked", async () => {
    const { page, faults, close } = await demo.visit();
    await page.goto("/settings/keys");
    await page.getByLabel("Name", { exact: true }).fill("Reports");
    await page.getByRole("button", { name: "Create key" }).click();
    const keyNotice = page.getByRole("status", { name: "The key" });
    const newKey = (await keyNotice.locator("code").textContent()) ?? "";
    await expectAccessible(page);
    const crier = (...args: string[]) =>
      promisify(execFile)(process.execPath, ["cli/main.ts", ...args], {
        env: { ...process.env, CRIER_URL: demo.run.url, CRIER_API_KEY: newKey, XDG_CONFIG_HOME: demo.run.state },
      });
    expect((await crier("channels")).stdout).toContain("bluesky");
    await keyNotice.getByRole("button", { name: "I have saved it" }).click();
    expect(await page.getByText(newKey).count()).toBe(0);
    await chooseInMenu(page, "More for Reports", "Revoke");
    await expectAccessible(page);
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByText("Reports no longer works").waitFor();
    await expect(crier("channels")).rejects.toMatchObject({ code: expect.any(Number) });
    expect(faults).toEqual([]);
    await close();
  });
});

describe("an application", () => {
  it("is connected by consent, stays connected if the revocation is cancelled, and reads nothing once it is revoked", async () => {
    const { page, faults, close } = await demo.visit();
    const redirect = `${demo.run.simulators}/callback`;
    const { client_id } = await json<{ client_id: string }>(`${demo.run.url}/oauth/register`, undefined, {
      redirect_uris: [redirect],
      client_name: "Assistant",
      token_endpoint_auth_method: "none",
    });
    const code_verifier = "v".repeat(43);
    const resource = `${demo.run.url}/mcp`;
    const authorizationQuery = new URLSearchParams({
      ...{ response_type: "code", client_id, redirect_uri: redirect, resource, scope: "mcp", state: "its own" },
      code_challenge: createHash("sha256").update(code_verifier).digest("base64url"),
      code_challenge_method: "S256",
    });
    await page.goto(`/oauth/authorize?${authorizationQuery}`);
    const workspace = page.getByRole("radio").first();
    if (!(await workspace.isChecked())) await workspace.check();
    await expectAccessible(page);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.waitForURL(`${redirect}?**`);
    const code = new URL(page.url()).searchParams.get("code") ?? "";
    const form = { grant_type: "authorization_code", code, client_id, redirect_uri: redirect, code_verifier, resource };
    const issued = await fetch(`${demo.run.url}/oauth/token`, { method: "POST", body: new URLSearchParams(form) });
    const { access_token }: { access_token: string } = await issued.json();
    const INITIALIZE = {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "Assistant", version: "1" } },
    };
    const begin = async () => {
      const answer = await fetch(resource, {
        method: "POST",
        headers: {
          authorization: `Bearer ${access_token}`,
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify(INITIALIZE),
      });
      return answer.status;
    };
    expect(await begin()).toBe(200);

    await page.goto("/settings/agents");
    const question = page.getByRole("dialog", { name: "Revoke Assistant's access?" });
    await chooseInMenu(page, "More for Assistant", "Revoke access");
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep it" }).click();
    await question.waitFor({ state: "hidden" });
    expect(await begin()).toBe(200);
    await chooseInMenu(page, "More for Assistant", "Revoke access");
    await question.getByRole("button", { name: "Revoke access" }).click();
    await page.getByText("Assistant no longer has access").waitFor();
    await page.getByText("No connected apps").waitFor();
    await expectFocusIn(page, "Connected apps");
    expect(await begin()).toBe(401);
    expect(faults).toEqual([]);
    await close();
  });
});

describe("a webhook", () => {
  it("shows a failing webhook, lets the user fix it, and sends its message again from the list of attempts", async () => {
    const receivers = await startReceivers();
    const answer = (status: number) =>
      fetch(`${receivers.url}/_/mend`, { method: "PUT", body: JSON.stringify([{ do: "status", status }]) });
    const received = async (): Promise<{ body: string }[]> => (await fetch(`${receivers.url}/_/mend`)).json();
    await answer(500);
    const { page, faults, close } = await demo.visit();
    await page.goto("/settings/webhooks");
    await page.getByLabel("Address").fill(`${receivers.url}/mend`);
    await page.getByRole("button", { name: "Add endpoint" }).click();
    await page.getByRole("status", { name: "The secret" }).getByRole("button", { name: "I have saved it" }).click();
    const endpoint = page.getByRole("region", { name: `${receivers.url}/mend` });
    await demo.makePost({ text: "Tell them", channels: [demo.getChannelId("bluesky")] });
    await eventually(async () => expect((await received()).length).toBeGreaterThan(0));
    await endpoint.getByText("Calls").click();
    const first = endpoint.getByRole("listitem").filter({ hasText: "answered 500" }).last();
    await first.waitFor();
    await first.getByText("Body").click();
    await first.getByText('"event": "delivery.succeeded"').waitFor();
    await expectAccessible(page);
    await answer(200);
    await first.getByRole("button", { name: /^Send again Post went live, try 1, / }).click();
    await endpoint.getByRole("listitem").filter({ hasText: "answered 200" }).first().waitFor();
    const bodies = (await received()).map(({ body }): { id: string } => JSON.parse(body));
    expect(bodies.at(-1)?.id).toBe(bodies[0]?.id);

    const question = page.getByRole("dialog", { name: `Remove ${receivers.url}/mend?` });
    await chooseInMenu(endpoint, `More for ${receivers.url}/mend`, "Remove");
    await expectAccessible(page);
    await question.getByRole("button", { name: "Keep it" }).click();
    await question.waitFor({ state: "hidden" });
    const endpoints = async () => (await demo.get<{ webhooks: object[] }>("/v1/webhooks")).webhooks.length;
    expect(await endpoints()).toBe(1);
    await chooseInMenu(endpoint, `More for ${receivers.url}/mend`, "Remove");
    await question.getByRole("button", { name: "Remove endpoint" }).click();
    await page.getByText("Endpoint removed").waitFor();
    await endpoint.waitFor({ state: "detached" });
    expect(await endpoints()).toBe(0);
    expect(faults).toEqual([]);
    await close();
    await receivers.close();
  });
});
