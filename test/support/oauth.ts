// An OAuth client that a person authorizes, and the browser in which they do it.
import { exports } from "cloudflare:workers";
import { expect } from "vitest";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "./env.ts";
import { type Account, call } from "./world.ts";

export const ORIGIN = "http://crier.test";
export const RESOURCE = `${ORIGIN}/mcp`;
export const REDIRECT = "https://assistant.example/callback";

export interface Client {
  id: string;
  secret: string | null;
}
export interface Issued {
  access_token: string;
  refresh_token: string;
  expires_in: number;
  scope: string;
  token_type: string;
}

/** Calls a path of the service without following redirects. */
export type Fetcher = (path: string, init?: RequestInit) => Promise<Response>;
export const fetchCrier: Fetcher = (path, init = {}) =>
  exports.default.fetch(new Request(ORIGIN + path, { redirect: "manual", ...init }));

export async function register(metadata: object = {}): Promise<Client> {
  const answer = await call<{ client_id: string; client_secret?: string }>("POST", "/oauth/register", {
    body: { redirect_uris: [REDIRECT], client_name: "Assistant", token_endpoint_auth_method: "none", ...metadata },
  });
  expect(answer).toMatchObject({ status: 201 });
  return { id: answer.body.client_id, secret: answer.body.client_secret ?? null };
}

const VERIFIER = "v".repeat(43);
/** Returns the SHA-256 hash of the verifier in base64url. */
async function makeChallenge(verifier: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier)));
  return btoa(String.fromCharCode(...digest))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** Builds the address at which a client asks for access. `changes` replaces parameters, and null removes one. */
export async function authorizePath(client: Client, changes: Record<string, string | null> = {}): Promise<string> {
  const query = new URLSearchParams();
  const parameters: Record<string, string | null> = {
    response_type: "code",
    client_id: client.id,
    redirect_uri: REDIRECT,
    code_challenge: await makeChallenge(VERIFIER),
    code_challenge_method: "S256",
    state: "the client's own",
    resource: RESOURCE,
    scope: "mcp",
    ...changes,
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== null) query.set(name, value);
  return `/oauth/authorize?${query}`;
}

/** Opens a page like the browser of a signed-in person. */
export const open = (path: string, session: string | null, fetcher = fetchCrier) =>
  fetcher(path, { headers: session === null ? {} : { cookie: `session=${session}` } });

/** Sends a form of that page like a browser. */
export const send = (
  path: string,
  session: string | null,
  fields: Record<string, string>,
  headers: Record<string, string> = { "sec-fetch-site": "same-origin" },
  fetcher = fetchCrier,
) =>
  fetcher(path, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      ...(session === null ? {} : { cookie: `session=${session}` }),
      ...headers,
    },
    body: new URLSearchParams(fields).toString(),
  });

/** Reads the token that proves that a form comes from the consent page. */
export async function consentOn(path: string, session: string, fetcher = fetchCrier): Promise<string> {
  const page = await open(path, session, fetcher);
  const html = await page.text();
  expect(page.status, html).toBe(200);
  return /name="consent" value="(\w{64})"/.exec(html)?.[1] ?? "";
}

/** Lets a person allow the access, and returns the address that they are sent to. */
export async function allow(
  account: Account,
  path: string,
  workspace = account.workspace,
  fetcher = fetchCrier,
): Promise<URL> {
  const consent = await consentOn(path, account.session, fetcher);
  const answer = await send(path, account.session, { consent, workspace, step: "allow" }, undefined, fetcher);
  expect(answer.status, await answer.clone().text()).toBe(303);
  return new URL(answer.headers.get("location") ?? "");
}

export async function tokenCall<Body = Record<string, unknown>>(
  fields: Record<string, string>,
  headers: Record<string, string> = {},
  path = "/oauth/token",
): Promise<{ status: number; headers: Headers; body: Body }> {
  const response = await fetchCrier(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: new URLSearchParams(fields).toString(),
  });
  return { status: response.status, headers: response.headers, body: await response.json<Body>() };
}

/** Returns the fields with which a client exchanges a code. */
export const exchangeFields = (client: Client, code: string): Record<string, string> => ({
  grant_type: "authorization_code",
  client_id: client.id,
  ...(client.secret === null ? {} : { client_secret: client.secret }),
  code,
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
  resource: RESOURCE,
});

export const refreshFields = (client: Client, token: string): Record<string, string> => ({
  grant_type: "refresh_token",
  client_id: client.id,
  refresh_token: token,
});

/** Gets a code for a client that a person has just authorized. */
export async function codeFor(account: Account, client: Client, workspace = account.workspace): Promise<string> {
  return (await allow(account, await authorizePath(client), workspace)).searchParams.get("code") ?? "";
}

/** Gets tokens for a client that a person has just authorized. */
export async function tokensFor(account: Account, client: Client, workspace = account.workspace): Promise<Issued> {
  const answer = await tokenCall<Issued>(exchangeFields(client, await codeFor(account, client, workspace)));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Whether a client is registered. */
export const isRegistered = async (id: string) =>
  (await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM oauth_clients WHERE id = ?").bind(id).first("n")) === 1;

/** Opens an access token as the MCP endpoint does. */
export const openToken = (token: string) =>
  openAccessToken(
    compose(testEnv, () => {}),
    token,
  );
