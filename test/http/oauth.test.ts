// Letting an application in, as a client and a person walk it: metadata, registration, consent, tokens, and their end.
import { describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "../support/env.ts";
import {
  allow,
  authorizePath,
  codeFor,
  exchangeOf,
  fetchCrier,
  type Given,
  ORIGIN,
  REDIRECT,
  RESOURCE,
  refreshOf,
  register,
  tokenCall,
  tokensFor,
} from "../support/oauth.ts";
import { call, signUp } from "../support/world.ts";

/** What the MCP address makes of a token. */
const opened = (token: string) =>
  openAccessToken(
    compose(testEnv, () => {}),
    token,
  );

describe("metadata", () => {
  it.each(["", "/mcp"])("of the resource stands at /.well-known/oauth-protected-resource%s", async (place) => {
    const answer = await call("GET", `/.well-known/oauth-protected-resource${place}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { resource: RESOURCE, authorization_servers: [ORIGIN], bearer_methods_supported: ["header"] },
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["", "/mcp"])("of the server stands at /.well-known/oauth-authorization-server%s", async (place) => {
    const { body } = await call("GET", `/.well-known/oauth-authorization-server${place}`);
    expect(body).toMatchObject({
      issuer: ORIGIN,
      authorization_endpoint: `${ORIGIN}/oauth/authorize`,
      token_endpoint: `${ORIGIN}/oauth/token`,
      registration_endpoint: `${ORIGIN}/oauth/register`,
      revocation_endpoint: `${ORIGIN}/oauth/revoke`,
      code_challenge_methods_supported: ["S256"],
      response_types_supported: ["code"],
      grant_types_supported: ["authorization_code", "refresh_token"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
    });
  });

  it.each([
    ["/.well-known/oauth-protected-resource/mcp", "GET"],
    ["/oauth/register", "POST"],
    ["/oauth/token", "POST"],
  ])("%s answers a browser that asks whether it may call", async (path, method) => {
    const answer = await fetchCrier(path, { method: "OPTIONS", headers: { origin: "https://inspector.example" } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toBe(method);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    const other = await call("DELETE", path);
    expect(other).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(other.headers.get("allow")).toBe(`${method}, OPTIONS`);
  });
});

it("a person lets a client into one workspace, and it gets tokens for it", async () => {
  const account = await signUp();
  const client = await register();
  const back = await allow(account, await authorizePath(client));
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(back.searchParams.get("state")).toBe("the client's own");
  expect(back.searchParams.get("iss")).toBe(ORIGIN);
  const answer = await tokenCall<Given>(exchangeOf(client, back.searchParams.get("code") ?? ""));
  expect(answer).toMatchObject({
    status: 200,
    body: { token_type: "Bearer", expires_in: 3_600, scope: "mcp", refresh_token: expect.any(String) },
  });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await opened(answer.body.access_token)).toMatchObject({ workspaceId: account.workspace, scopes: ["mcp"] });
  // Only there: the rest of the interface takes keys and sessions.
  expect(await call("GET", "/v1/workspace", { token: answer.body.access_token })).toMatchObject({
    status: 401,
    body: { error: "unauthorized", message: expect.stringContaining("/mcp") },
  });
});

describe("a code", () => {
  it("is exchanged once: the second time ends what came of the first", async () => {
    const account = await signUp();
    const client = await register();
    const code = await codeFor(account, client);
    const first = await tokenCall<Given>(exchangeOf(client, code));
    expect(await opened(first.body.access_token)).not.toBeNull();
    expect(await tokenCall(exchangeOf(client, code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    expect(await opened(first.body.access_token)).toBeNull();
    expect(await tokenCall(refreshOf(client, first.body.refresh_token))).toMatchObject({ status: 400 });
  });

  it("leaves nothing good to two who exchange it at once", async () => {
    const account = await signUp();
    const client = await register();
    for (let round = 0; round < 5; round++) {
      const code = await codeFor(account, client);
      const answers = await Promise.all(Array.from({ length: 6 }, () => tokenCall<Given>(exchangeOf(client, code))));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const { body } of answers) if (body.access_token) expect(await opened(body.access_token)).toBeNull();
    }
  });
});

it("a refresh token is exchanged for new ones", async () => {
  const account = await signUp();
  const client = await register();
  const given = await tokensFor(account, client);
  const renewed = await tokenCall<Given>(refreshOf(client, given.refresh_token));
  expect(renewed.status).toBe(200);
  expect(renewed.body.refresh_token).not.toBe(given.refresh_token);
  expect(await opened(renewed.body.access_token)).toMatchObject({ workspaceId: account.workspace });
});
