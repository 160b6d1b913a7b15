// The descriptions of clients at their own addresses.
import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import worker from "../../src/index.ts";
import { DEPLOYED, testEnv } from "../support/env.ts";
import {
  allow,
  authorizePath,
  codeFor,
  exchangeFields,
  fetchCrier,
  isRegistered,
  open,
  REDIRECT,
  tokenCall,
} from "../support/oauth.ts";
import { isExtensive } from "../support/sampled.ts";
import { stubInternet } from "../support/stubbed-internet.ts";
import type { Answer } from "../support/webhook-receivers.ts";
import { signUp, unique } from "../support/world.ts";

describe("a client that describes itself", () => {
  /** Serves a description, which `change` can modify. */
  async function describeClient(
    change: (document: Record<string, unknown>) => unknown = (document) => document,
    answer: Partial<Extract<Answer, { do: "status" }>> | Answer = {},
  ) {
    const name = unique("client");
    const id = `${testEnv.RECEIVERS}/${name}`;
    const document = { client_id: id, client_name: "Described", redirect_uris: [REDIRECT] };
    const served = {
      do: "status",
      status: 200,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(change(document)),
      ...answer,
    };
    await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify([served]) });
    return { id, secret: null };
  }

  it("a client is accepted by its address, which is shown, and gets tokens", async () => {
    const account = await signUp();
    const client = await describeClient();
    const path = await authorizePath(client);
    const html = await (await open(path, account.session)).text();
    expect(html).toContain("<strong>Described</strong>");
    expect(html).toContain(`As stated by ${new URL(client.id).host}.`);
    const code = (await allow(account, path)).searchParams.get("code") ?? "";
    expect((await tokenCall(exchangeFields(client, code))).status).toBe(200);
    expect(await isRegistered(client.id)).toBe(false);
    // A client id may belong to many installations, so a new grant does not end an older one.
    await codeFor(account, client);
    const n = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_grants WHERE client_id = ?")
      .bind(client.id)
      .first("n");
    expect(n).toBe(2);
  });

  it.each([
    {
      token_endpoint_auth_method: "private_key_jwt",
      token_endpoint_auth_methods_supported: ["none", "private_key_jwt"],
    },
    { redirect_uris: ["assistant://cb", REDIRECT] },
    { logo_uri: "https://a.example/logo.png", jwks_uri: "https://a.example/keys" },
  ])("a description may also have %j", async (fields) => {
    const account = await signUp();
    const client = await describeClient((document) => ({ ...document, ...fields }));
    expect(await codeFor(account, client)).toMatch(/^crier_ac_/);
  });

  const expectRefusal = async (client: { id: string; secret: null }) => {
    const { session } = await signUp();
    const answer = await open(await authorizePath(client), session);
    expect(answer.status).toBe(400);
    expect(answer.headers.get("location")).toBeNull();
    return answer.text();
  };

  it.each([
    ["names another client_id", (document: object) => ({ ...document, client_id: "https://other.example/client" })],
    ["has no client_id", (document: object) => ({ ...document, client_id: undefined })],
    ["has no redirect address", (document: object) => ({ ...document, redirect_uris: [] })],
    [
      "has other redirect addresses",
      (document: object) => ({ ...document, redirect_uris: ["https://other.example/cb"] }),
    ],
    ["has a secret", (document: object) => ({ ...document, client_secret: "x" })],
    [
      "supports only a private key",
      (document: object) => ({ ...document, token_endpoint_auth_method: "private_key_jwt" }),
    ],
    ["has a hidden character in its name", (document: object) => ({ ...document, client_name: "a\u202eb" })],
    ["is a list", (document: object) => [document]],
    ["is null", () => null],
    ["is too long", (document: object) => ({ ...document, more: "x".repeat(5 * 1024) })],
  ])("a client is refused if its description %s", async (_what, change) => {
    await expectRefusal(await describeClient(change));
  });

  it.each([
    [{ status: 404 }],
    [{ status: 500 }],
    [{ status: 302, headers: { location: "https://other.example", "content-type": "application/json" } }],
    [{ headers: { "content-type": "text/html" } }],
    [{ body: "{" }],
    [{ do: "reset" }],
    [{ do: "flood" }],
    [{ do: "bomb" }],
    ...(isExtensive ? [[{ do: "hang" }]] : []),
    [{ do: "drip" }],
  ] as (Partial<Extract<Answer, { do: "status" }>> | Answer)[][])(
    "a client is refused if its address answers %j",
    async (answer) => {
      await expectRefusal(await describeClient(undefined, answer));
    },
  );

  it("a client is refused if its id is an address without a path, with a fragment or in another spelling", async () => {
    const { origin, host } = new URL(testEnv.RECEIVERS);
    for (const id of [
      origin,
      `${origin}/`,
      `${origin}/a#b`,
      `${origin}/a/../b`,
      `http://user@${host}/a`,
      `${origin}/a b`,
    ])
      await expectRefusal({ id, secret: null });
  });

  it("a client needs no secret at the token endpoint, and a secret is refused", async () => {
    const client = await describeClient();
    const answer = await tokenCall({ ...exchangeFields(client, "x"), client_secret: "secret" });
    expect(answer).toMatchObject({ status: 401, body: { error: "invalid_client" } });
  });
});

describe("a deployment that refuses private addresses", () => {
  afterEach(() => vi.unstubAllGlobals());

  /** Makes a request to a deployment as in production, while the internet has one public host. */
  async function ask(clientId: string): Promise<{ status: number; called: string[] }> {
    const called: string[] = [];
    stubInternet(async (input) => {
      const url = new URL(input);
      if (url.hostname !== "cloudflare-dns.com") {
        called.push(url.href);
        return Response.json({ client_id: url.href, client_name: "Public", redirect_uris: [REDIRECT] });
      }
      const records: Record<string, string> = { "public.crier.dev": "93.184.215.14", "private.crier.dev": "10.0.0.1" };
      const data = records[url.searchParams.get("name") ?? ""];
      const isA = url.searchParams.get("type") === "A";
      return Response.json({ Answer: data !== undefined && isA ? [{ type: 1, data }] : [] });
    });
    const path = await authorizePath({ id: clientId, secret: null }, { resource: null });
    const execution = createExecutionContext();
    const response = await worker.fetch(
      new Request<unknown, IncomingRequestCfProperties>(`https://crier.dev${path}`),
      {
        ...testEnv,
        ...DEPLOYED,
      },
      execution,
    );
    await waitOnExecutionContext(execution);
    return { status: response.status, called };
  }

  it("a description is read at a public https address", async () => {
    const id = "https://public.crier.dev/client.json";
    expect(await ask(id)).toEqual({ status: 200, called: [id] });
  });

  it.each([
    "http://public.crier.dev/client.json",
    "https://127.0.0.1/client.json",
    "https://[::1]/client.json",
    "https://169.254.169.254/latest/meta-data",
    "https://private.crier.dev/client.json",
    "https://nowhere.crier.dev/client.json",
    "https://crier.dev/client.json",
    "https://public.crier.dev:8443/client.json",
    "https://user:secret@public.crier.dev/client.json",
    "https://localhost/client.json",
    "https://metadata.google.internal/x",
    "file:///etc/passwd",
  ])("a description is never read at %s", async (id) => {
    expect(await ask(id)).toEqual({ status: 400, called: [] });
  });
});

it("one network address can request only a limited number of descriptions", async () => {
  const path = await authorizePath({ id: "client_01kac48r4w7y2a8c5e1g6j0k4n", secret: null });
  const ask = async () => (await fetchCrier(path, { headers: { "cf-connecting-ip": "203.0.113.79" } })).status;
  const statuses = await Promise.all(Array.from({ length: 70 }, ask));
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});
