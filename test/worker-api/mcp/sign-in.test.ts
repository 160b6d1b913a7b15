// A hosted client cannot send a key, so it signs a person in. The protocol's own clients find the way from the address
// alone.

import { createExecutionContext, runInDurableObject } from "cloudflare:test";
import {
  Client,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as FirstTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import worker from "../../../src/index.ts";
import { testEnv } from "../../support/env.ts";
import { eventually } from "../../support/eventually.ts";
import { allow, REDIRECT } from "../../support/oauth.ts";
import { type Account, call, connect, signUp, unique } from "../../support/world.ts";
import { ERAS, type Era, INITIALIZE, send } from "./clients.ts";

/** Clients sign in over https, or on this machine. */
const HERE = "http://localhost";
const MCP_URL = new URL(`${HERE}/mcp`);
const fetchHere = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
  const request = new Request(new URL(url, HERE), { redirect: "manual", ...init });
  return worker.fetch(
    new Request<unknown, IncomingRequestCfProperties>(request),
    { ...testEnv, BASE_URL: HERE },
    createExecutionContext(),
  );
};
/** Grants access to a client that has sent the person to Crier. Returns the address that the person is sent back to. */
const grantAccess = (account: Account, { sentTo }: Memory) => {
  const { pathname, search } = sentTo ?? new URL("about:blank");
  return allow(account, pathname + search, account.workspace, fetchHere);
};

/** Remembers a client's sign-in, and the last address to which the client sent the person. */
class Memory implements OAuthClientProvider {
  redirectUrl = REDIRECT;
  clientMetadata: OAuthClientMetadata = { redirect_uris: [REDIRECT], client_name: "Assistant" };
  client: StoredOAuthClientInformation | undefined;
  storedTokens: StoredOAuthTokens | undefined;
  sentTo: URL | undefined;
  #verifier = "";
  #state: OAuthDiscoveryState | undefined;

  clientInformation = () => this.client;
  saveClientInformation = (client: StoredOAuthClientInformation) => {
    this.client = client;
  };
  tokens = () => this.storedTokens;
  saveTokens = (tokens: StoredOAuthTokens) => {
    this.storedTokens = tokens;
  };
  redirectToAuthorization = (url: URL) => {
    this.sentTo = url;
  };
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  codeVerifier = () => this.#verifier;
  invalidateCredentials = (scope: string) => {
    if (scope === "all" || scope === "tokens") this.storedTokens = undefined;
    if (scope === "all" || scope === "client") this.client = undefined;
  };
  saveDiscoveryState = (state: OAuthDiscoveryState) => {
    this.#state = state;
  };
  discoveryState = () => this.#state;
}

const createTransport = (memory: Memory) =>
  new StreamableHTTPClientTransport(MCP_URL, { authProvider: memory, fetch: fetchHere });
const createClient = (era: Era) => {
  const mode = era === "2026-07-28" ? { pin: era } : "legacy";
  return new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
};

/** Signs in a client, to which a person grants access. */
async function signIn(account: Account, era: Era, memory = new Memory()): Promise<{ client: Client; memory: Memory }> {
  const first = createTransport(memory);
  await expect(createClient(era).connect(first)).rejects.toBeInstanceOf(UnauthorizedError);
  await first.finishAuth((await grantAccess(account, memory)).searchParams);
  const client = createClient(era);
  await client.connect(createTransport(memory));
  return { client, memory };
}

const getGrantId = async ({ workspace }: Account) =>
  (
    await testEnv.DB.prepare("SELECT id FROM oauth_grants WHERE workspace_id = ?")
      .bind(workspace)
      .first<{ id: string }>()
  )?.id ?? "";

describe.each(ERAS)("a client of %s", (era) => {
  it("the client registers, gets access and works in the granted workspace", async () => {
    const account = await signUp();
    const channel = await connect(account.key, "telegram");
    const { client, memory } = await signIn(account, era);
    expect(memory.client?.client_id).toMatch(/^client_/);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const { structuredContent } = await client.callTool({ name: "list_channels", arguments: {} });
    expect(structuredContent).toMatchObject({ channels: [{ id: channel.id }] });
    await client.close();
  });

  it("the client renews its expired tokens by itself", async () => {
    const account = await signUp();
    const { client, memory } = await signIn(account, era);
    const before = memory.storedTokens?.access_token;
    await testEnv.DB.prepare("UPDATE oauth_tokens SET expires_at = 1 WHERE kind = 'access' AND grant_id = ?")
      .bind(await getGrantId(account))
      .run();
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(memory.storedTokens?.access_token).not.toBe(before);
    await client.close();
  });

  it("the client loses access at once when a person revokes it", async () => {
    const account = await signUp();
    const { client, memory } = await signIn(account, era);
    await client.listTools();
    const path = `/v1/workspaces/${account.workspace}/connections/${await getGrantId(account)}`;
    expect((await call("DELETE", path, { token: account.session })).status).toBe(204);
    memory.sentTo = undefined;
    await expect(client.listTools()).rejects.toBeInstanceOf(UnauthorizedError);
    // The client can only ask the person again.
    expect(memory.sentTo).toBeDefined();
  });

  it("the client may describe itself at its own address", async () => {
    const account = await signUp();
    const memory = new Memory();
    const name = unique("mcp");
    const url = `${testEnv.RECEIVERS}/${name}`;
    const body = JSON.stringify({ client_id: url, ...memory.clientMetadata });
    const served = { do: "status", status: 200, headers: { "content-type": "application/json" }, body };
    await fetch(`${testEnv.RECEIVERS}/_/${name}`, { method: "PUT", body: JSON.stringify([served]) });
    memory.client = { client_id: url, issuer: HERE };
    const { client } = await signIn(account, era, memory);
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    await client.close();
  });
});

it("a client of the SDK's first version signs in, too", async () => {
  const account = await signUp();
  const memory = new Memory();
  const transport = () => new FirstTransport(MCP_URL, { authProvider: memory, fetch: fetchHere });
  const client = () => new FirstClient({ name: "first", version: "1" });
  const first = transport();
  await expect(client().connect(first)).rejects.toThrow();
  await first.finishAuth((await grantAccess(account, memory)).searchParams.get("code") ?? "");
  const connectedClient = client();
  await connectedClient.connect(transport());
  expect((await connectedClient.listTools()).tools.length).toBeGreaterThan(5);
  await connectedClient.close();
});

it("a call without a valid credential gets the address of the sign-in", async () => {
  const lead = 'Bearer resource_metadata="http://crier.test/.well-known/oauth-protected-resource/mcp", scope="mcp"';
  const challenge = async (key?: string) => {
    const answer = await send("POST", { key, body: INITIALIZE });
    expect(answer.status).toBe(401);
    return answer.headers.get("www-authenticate") ?? "";
  };
  expect(await challenge()).toBe(lead);
  expect(await challenge(`crier_at_${"A".repeat(43)}`)).toContain(`${lead}, error="invalid_token"`);
});

it("the sessions of a person's clients are deleted when the person loses access", async () => {
  const account = await signUp();
  const { client } = await signIn(account, "2025-11-25");
  await client.listTools();
  const object = testEnv.MCP.getByName(`grant:${await getGrantId(account)}`);
  const stored = () => runInDurableObject(object, (_, state) => state.storage.kv.get("session"));
  expect(await stored()).toBeDefined();
  expect((await call("DELETE", "/v1/auth/me", { token: account.session })).status).toBe(204);
  await eventually(async () => expect(await stored()).toBeUndefined());
});
