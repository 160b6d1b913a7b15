// Connecting an account by a link to the server that its handle leads to, as a browser does it.
import { exports } from "cloudflare:workers";
import { expect, it } from "vitest";
import * as z from "zod";
import { testEnv } from "../support/env.ts";
import { call, signUp, unique } from "../support/world.ts";
import { Browser, createLink, listChannels } from "./connecting.ts";

const PASSWORD = "abcd-efgh-ijkl-mnop";

/** An account that exists on the network. */
async function makeHandle(): Promise<string> {
  const handle = `${unique("ada")}.bsky.social`;
  const answer = await fetch(`${testEnv.SIMULATORS}/bluesky/xrpc/com.atproto.server.createSession`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ identifier: handle, password: PASSWORD }),
  });
  expect(answer.status).toBe(200);
  await answer.body?.cancel();
  return handle;
}

it("a link with a handle leads to the account's server, and connects the account that consented", async () => {
  const account = await signUp();
  const handle = await makeHandle();
  const link = await createLink(account, { platform: "bluesky", handle });
  const result = await new Browser().connect(link, { decision: "allow" });
  expect(result.status).toBe(200);
  expect(new URL(result.callback).searchParams.get("iss")).toBe(`${testEnv.SIMULATORS}/bluesky`);
  expect(await listChannels(account)).toMatchObject([{ platform: "bluesky", handle, state: "connected" }]);
});

it("an account that was connected with an app password keeps its channel when its owner signs in", async () => {
  const account = await signUp();
  const handle = await makeHandle();
  const credentials = { identifier: handle, app_password: PASSWORD };
  await call("POST", "/v1/channels", { token: account.key, body: { platform: "bluesky", handle, credentials } });
  const [before] = await listChannels(account);
  await new Browser().connect(await createLink(account, { platform: "bluesky", handle }), { decision: "allow" });
  expect((await listChannels(account)).map(({ id }) => id)).toEqual([before?.id]);
});

it("a link without a handle asks for it, and says what is wrong with an unknown one", async () => {
  const account = await signUp();
  const handle = await makeHandle();
  const link = await createLink(account, { platform: "bluesky" });
  const browser = new Browser();
  const page = await browser.visit(link);
  expect(page.text).toContain('name="handle"');
  const submit = (typed: string) =>
    browser.visit(link, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams({ handle: typed }).toString(),
    });
  const unknown = await submit("nobody-<b>.bsky.social");
  expect(unknown.status).toBe(422);
  expect(unknown.text).toContain("does not know this handle");
  expect(unknown.text).toContain("nobody-&lt;b&gt;.bsky.social");
  const opened = await submit(handle);
  expect(opened.status).toBe(303);
  expect(opened.location).toContain(`${testEnv.SIMULATORS}/bluesky/oauth/authorize?`);
});

it("an answer that names another server connects nothing", async () => {
  const account = await signUp();
  const link = await createLink(account, { platform: "bluesky", handle: await makeHandle() });
  const browser = new Browser();
  const opened = await browser.visit(link, { method: "POST" });
  const back = new URL((await browser.visit(`${opened.location}&decision=allow`)).location);
  back.searchParams.set("iss", "https://evil.example");
  const page = await browser.visit(back.href);
  expect(page.status).toBe(422);
  expect(page.text).toContain("not from the server of this account");
  expect(await listChannels(account)).toEqual([]);
});

it("a handle is refused for a network that asks for the account itself", async () => {
  const { key } = await signUp();
  const body = { platform: "pinterest", handle: "ada" };
  const refused = await call("POST", "/v1/channels/connect", { token: key, body });
  expect(refused).toMatchObject({ status: 422, body: { error: "invalid_field", field: "/handle" } });
});

const Description = z.object({
  client_id: z.string(),
  redirect_uris: z.array(z.string()),
  scope: z.string(),
  jwks: z.object({ keys: z.array(z.record(z.string(), z.string())) }),
});

it("this deployment describes itself as a client for everybody, without a secret", async () => {
  const answer = await exports.default.fetch("http://crier.test/oauth-client-metadata.json");
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toMatch(/^application\/json/);
  const description = Description.parse(await answer.json());
  expect(description).toMatchObject({
    client_id: "http://crier.test/oauth-client-metadata.json",
    redirect_uris: ["http://crier.test/v1/channels/callback/bluesky"],
    scope: expect.stringMatching(/^atproto repo:app\.bsky\.feed\.post /),
  });
  expect(description.jwks.keys.length).toBeGreaterThan(0);
  for (const key of description.jwks.keys) expect(key).not.toHaveProperty("d");
});
