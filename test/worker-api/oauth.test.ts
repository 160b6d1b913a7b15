// Granting an application access, as a client and a person do it: metadata, consent and a code.
import { describe, expect, it } from "vitest";
import { challengeText } from "../../src/domain/oauth.ts";
import {
  allow,
  authorizePath,
  codeFor,
  exchangeFields,
  fetchCrier,
  type Issued,
  ORIGIN,
  openToken,
  REDIRECT,
  RESOURCE,
  refreshFields,
  register,
  tokenCall,
} from "../support/oauth.ts";
import { call, signUp } from "../support/world.ts";

describe("metadata", () => {
  it.each(["", "/mcp"])("the metadata of the resource is at /.well-known/oauth-protected-resource%s", async (place) => {
    const answer = await call("GET", `/.well-known/oauth-protected-resource${place}`);
    expect(answer).toMatchObject({
      status: 200,
      body: { resource: RESOURCE, authorization_servers: [ORIGIN], bearer_methods_supported: ["header"] },
    });
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
  });

  it.each(["", "/mcp"])("the metadata of the server is at /.well-known/oauth-authorization-server%s", async (place) => {
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
  ])("%s answers the preflight request of a browser", async (path, method) => {
    const answer = await fetchCrier(path, { method: "OPTIONS", headers: { origin: "https://inspector.example" } });
    expect(answer.status).toBe(204);
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.headers.get("access-control-allow-methods")).toBe(method);
    expect(answer.headers.get("access-control-allow-credentials")).toBeNull();
    const refused = await call("DELETE", path);
    expect(refused).toMatchObject({ status: 405, body: { error: "method_not_allowed" } });
    expect(refused.headers.get("allow")).toBe(`${method}, OPTIONS`);
  });
});

it("a person grants a client access to one workspace, and the client gets tokens for it", async () => {
  const account = await signUp();
  const client = await register();
  const back = await allow(account, await authorizePath(client));
  expect(back.origin + back.pathname).toBe(REDIRECT);
  expect(back.searchParams.get("state")).toBe("the client's own");
  expect(back.searchParams.get("iss")).toBe(ORIGIN);
  const answer = await tokenCall<Issued>(exchangeFields(client, back.searchParams.get("code") ?? ""));
  expect(answer).toMatchObject({
    status: 200,
    body: { token_type: "Bearer", expires_in: 3_600, scope: "mcp", refresh_token: expect.any(String) },
  });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(await openToken(answer.body.access_token)).toMatchObject({ workspaceId: account.workspace, scopes: ["mcp"] });
  // The token is valid only there: the rest of the API accepts keys and sessions.
  expect(await call("GET", "/v1/workspace", { token: answer.body.access_token })).toMatchObject({
    status: 401,
    body: { error: "unauthorized", message: expect.stringContaining("/mcp") },
  });
});

describe("a code", () => {
  it("a code is exchanged once, and a second exchange revokes the tokens of the first", async () => {
    const account = await signUp();
    const client = await register();
    const code = await codeFor(account, client);
    const first = await tokenCall<Issued>(exchangeFields(client, code));
    expect(await openToken(first.body.access_token)).not.toBeNull();
    expect(await tokenCall(exchangeFields(client, code))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await openToken(first.body.access_token)).toBeNull();
    expect(await tokenCall(refreshFields(client, first.body.refresh_token))).toMatchObject({ status: 400 });
  });

  it("simultaneous exchanges of a code leave no valid token", async () => {
    const account = await signUp();
    const client = await register();
    for (let round = 0; round < 5; round++) {
      const code = await codeFor(account, client);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => tokenCall<Issued>(exchangeFields(client, code))),
      );
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const { body } of answers) if (body.access_token) expect(await openToken(body.access_token)).toBeNull();
    }
  });
});

describe("a client with a secret", () => {
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

  it.each([undefined, "client_secret_basic"])(
    "a client that registered with the method %s sends its secret in a header",
    async (method) => {
      const account = await signUp();
      const client = await register({ token_endpoint_auth_method: method });
      expect(client.secret).toMatch(/^crier_cs_/);
      const { client_secret: _, ...fields } = exchangeFields(client, await codeFor(account, client));
      const wrong = await tokenCall(fields, basic(client.id, "wrong"));
      expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_client" } });
      expect(wrong.headers.get("www-authenticate")).toMatch(/^Basic /);
      expect((await tokenCall(fields)).status).toBe(401);
      expect((await tokenCall(fields, { authorization: "Basic !" })).status).toBe(401);
      expect((await tokenCall(fields, basic(client.id, client.secret ?? ""))).status).toBe(200);
    },
  );

  it("a client that registered for it sends its secret in the form", async () => {
    const account = await signUp();
    const client = await register({ token_endpoint_auth_method: "client_secret_post" });
    const fields = exchangeFields(client, await codeFor(account, client));
    expect((await tokenCall({ ...fields, client_secret: "wrong" })).status).toBe(401);
    expect((await tokenCall(fields, basic(client.id, client.secret ?? ""))).status).toBe(400);
    expect((await tokenCall(fields)).status).toBe(200);
  });
});

it("a client without a secret may send an empty one", async () => {
  const account = await signUp();
  const client = await register();
  const fields = exchangeFields(client, await codeFor(account, client));
  const authorization = `Basic ${btoa(`${client.id}:`)}`;
  expect((await tokenCall({ ...fields, client_secret: "wrong" })).status).toBe(401);
  expect((await tokenCall({ ...fields, client_secret: "" }, { authorization })).status).toBe(200);
});

it("a 401 at the MCP address names the metadata", () => {
  expect(challengeText(ORIGIN, false)).toBe(
    'Bearer resource_metadata="http://crier.test/.well-known/oauth-protected-resource/mcp", scope="mcp"',
  );
  expect(challengeText(ORIGIN, true)).toContain('error="invalid_token"');
});
