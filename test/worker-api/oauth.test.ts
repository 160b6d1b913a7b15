// Letting an application in, as a client and a person walk it: metadata, registration, consent, tokens, and their end.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { challengeText } from "../../src/domain/oauth.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "../support/env.ts";
import {
  allow,
  authorizePath,
  type Client,
  codeFor,
  exchangeOf,
  fetchCrier,
  type Issued,
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
  const answer = await tokenCall<Issued>(exchangeOf(client, back.searchParams.get("code") ?? ""));
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
    const first = await tokenCall<Issued>(exchangeOf(client, code));
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
      const answers = await Promise.all(Array.from({ length: 6 }, () => tokenCall<Issued>(exchangeOf(client, code))));
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      for (const { body } of answers) if (body.access_token) expect(await opened(body.access_token)).toBeNull();
    }
  });
});

/** Lets `ms` pass for a refresh token: as if it had been exchanged, or made, so much earlier. */
async function ageToken(token: string, ms: number): Promise<void> {
  await testEnv.DB.prepare(
    "UPDATE oauth_tokens SET used_at = used_at - ?1, expires_at = expires_at - ?1 WHERE hash = ?2",
  )
    .bind(ms, await sha256Hex(token))
    .run();
}
const MINUTE_MS = 60_000;

describe("a refresh token", () => {
  it("is exchanged for new ones, and the old access token lives out its hour", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    expect(renewed.status).toBe(200);
    expect(renewed.body.refresh_token).not.toBe(issued.refresh_token);
    expect(await opened(renewed.body.access_token)).toMatchObject({ workspaceId: account.workspace });
    expect(await opened(issued.access_token)).not.toBeNull();
  });

  it("that comes again after a while ends the grant, and with it what the thief or the client got", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    await ageToken(issued.refresh_token, MINUTE_MS);
    expect(await tokenCall(refreshOf(client, issued.refresh_token))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await opened(renewed.body.access_token)).toBeNull();
    expect(await tokenCall(refreshOf(client, renewed.body.refresh_token))).toMatchObject({ status: 400 });
  });

  it("that comes again at once had its answer lost: it is answered again, once more in the end", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const lost = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    const again = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    expect(again.status).toBe(200);
    // Whoever goes on first goes on alone.
    expect((await tokenCall(refreshOf(client, again.body.refresh_token))).status).toBe(200);
    expect((await tokenCall(refreshOf(client, lost.body.refresh_token))).status).toBe(400);
    expect(await opened(again.body.access_token)).toBeNull();
  });

  it("that comes again at once, but after what came of it was exchanged, ends the grant", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const second = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    const third = await tokenCall<Issued>(refreshOf(client, second.body.refresh_token));
    expect(third.status).toBe(200);
    expect((await tokenCall(refreshOf(client, issued.refresh_token))).status).toBe(400);
    expect(await opened(third.body.access_token)).toBeNull();
  });

  it("that is exchanged many times at once leaves one line that goes on", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => tokenCall<Issued>(refreshOf(client, issued.refresh_token))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const lines = answers.map(({ body }) => body.refresh_token);
    expect((await tokenCall(refreshOf(client, lines[3] ?? ""))).status).toBe(200);
    for (const line of [lines[0], lines[3]]) expect((await tokenCall(refreshOf(client, line ?? ""))).status).toBe(400);
  });

  it("is spent after thirty days without use", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    await ageToken(issued.refresh_token, 30 * 24 * 60 * MINUTE_MS + 1);
    expect(await tokenCall(refreshOf(client, issued.refresh_token))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });
});

describe("the token endpoint refuses", () => {
  const refusedOf = async (changes: Record<string, string | null>, error: string, status = 400) => {
    const account = await signUp();
    const client = await register();
    const good = exchangeOf(client, await codeFor(account, client));
    const fields = Object.fromEntries(
      Object.entries({ ...good, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    expect(await tokenCall(fields), JSON.stringify(changes)).toMatchObject({ status, body: { error } });
    // What was refused has used nothing up.
    expect((await tokenCall(good)).status).toBe(200);
  };
  it.each([
    [{ code_verifier: null }, "invalid_grant"],
    [{ code_verifier: "w".repeat(43) }, "invalid_grant"],
    [{ code_verifier: "short" }, "invalid_grant"],
    [{ redirect_uri: "https://assistant.example/other" }, "invalid_grant"],
    [{ resource: "https://other.example/mcp" }, "invalid_target"],
    [{ resource: "http://crier.test/" }, "invalid_target"],
    [{ code: `crier_ac_${"A".repeat(43)}` }, "invalid_grant"],
    [{ code: "" }, "invalid_grant"],
    [{ code: null }, "invalid_request"],
    [{ grant_type: null }, "invalid_request"],
    [{ grant_type: "password" }, "unsupported_grant_type"],
    [{ grant_type: "client_credentials" }, "unsupported_grant_type"],
    [{ client_id: null }, "invalid_request"],
  ] as [Record<string, string | null>, string][])("%j with %s", (changes, error) => refusedOf(changes, error));

  it("a client that is not there", () =>
    refusedOf({ client_id: "client_01kac48r4w7y2a8c5e1g6j0k4n" }, "invalid_client", 401));

  it("another client's code and refresh token, and leaves them good", async () => {
    const account = await signUp();
    const [client, other] = [await register(), await register()];
    const code = await codeFor(account, client);
    expect(await tokenCall(exchangeOf(other, code))).toMatchObject({ status: 400, body: { error: "invalid_grant" } });
    const { body } = await tokenCall<Issued>(exchangeOf(client, code));
    expect(await tokenCall(refreshOf(other, body.refresh_token))).toMatchObject({ status: 400 });
    expect((await tokenCall(refreshOf(client, body.refresh_token))).status).toBe(200);
  });

  it("a token of one kind in the place of another", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    expect((await tokenCall(refreshOf(client, issued.access_token))).status).toBe(400);
    expect(await opened(issued.refresh_token)).toBeNull();
  });

  it("bodies that are no form, and parameters given twice", async () => {
    const send = async (type: string, body: string) => {
      const answer = await fetchCrier("/oauth/token", { method: "POST", headers: { "content-type": type }, body });
      return { status: answer.status, body: await answer.json() };
    };
    const refused = { status: 400, body: { error: "invalid_request" } };
    expect(await send("application/json", "{}")).toMatchObject(refused);
    const form = "application/x-www-form-urlencoded";
    expect(await send(form, "grant_type=refresh_token&client_id=a&client_id=b")).toMatchObject(refused);
    expect(await send(form, "\u0000%ff%zz=&&&=")).toMatchObject(refused);
    expect((await send(form, `a=${"x".repeat(1024 * 1024)}`)).status).toBe(413);
  });
});

describe("a client with a secret", () => {
  const basic = (id: string, secret: string) => ({ authorization: `Basic ${btoa(`${id}:${secret}`)}` });

  it.each([undefined, "client_secret_basic"])(
    "that registered with the method %s shows it in a header",
    async (method) => {
      const account = await signUp();
      const client = await register({ token_endpoint_auth_method: method });
      expect(client.secret).toMatch(/^crier_cs_/);
      const { client_secret: _, ...fields } = exchangeOf(client, await codeFor(account, client));
      const wrong = await tokenCall(fields, basic(client.id, "wrong"));
      expect(wrong).toMatchObject({ status: 401, body: { error: "invalid_client" } });
      expect(wrong.headers.get("www-authenticate")).toMatch(/^Basic /);
      expect((await tokenCall(fields)).status).toBe(401);
      expect((await tokenCall(fields, { authorization: "Basic !" })).status).toBe(401);
      expect((await tokenCall(fields, basic(client.id, client.secret ?? ""))).status).toBe(200);
    },
  );

  it("shows it in the form", async () => {
    const account = await signUp();
    const client = await register({ token_endpoint_auth_method: "client_secret_post" });
    const fields = exchangeOf(client, await codeFor(account, client));
    expect((await tokenCall({ ...fields, client_secret: "wrong" })).status).toBe(401);
    expect((await tokenCall(fields, basic(client.id, client.secret ?? ""))).status).toBe(400);
    expect((await tokenCall(fields)).status).toBe(200);
  });
});

it("a client without a secret may send an empty one", async () => {
  const account = await signUp();
  const client = await register();
  const fields = exchangeOf(client, await codeFor(account, client));
  const authorization = `Basic ${btoa(`${client.id}:`)}`;
  expect((await tokenCall({ ...fields, client_secret: "wrong" })).status).toBe(401);
  expect((await tokenCall({ ...fields, client_secret: "" }, { authorization })).status).toBe(200);
});

describe("POST /oauth/revoke", () => {
  const revoke = (client: Client, token: string) => tokenCall({ client_id: client.id, token }, {}, "/oauth/revoke");

  it("ends an access token, or with its refresh token all that the person gave", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
    expect((await revoke(client, issued.access_token)).status).toBe(200);
    expect(await opened(issued.access_token)).toBeNull();
    expect(await opened(renewed.body.access_token)).not.toBeNull();
    expect((await revoke(client, renewed.body.refresh_token)).status).toBe(200);
    expect(await opened(renewed.body.access_token)).toBeNull();
  });

  it("says the same of a token that is not there or another's, which it leaves", async () => {
    const account = await signUp();
    const [client, other] = [await register(), await register()];
    const issued = await tokensFor(account, client);
    for (const token of [issued.refresh_token, issued.access_token, "nonsense"])
      expect((await revoke(other, token)).status).toBe(200);
    expect(await opened(issued.access_token)).not.toBeNull();
  });
});

it("no code, token or secret stands in the database in clear", async () => {
  const account = await signUp();
  const client = await register({ token_endpoint_auth_method: "client_secret_post" });
  const code = await codeFor(account, client);
  const { body } = await tokenCall<Issued>(exchangeOf(client, code));
  const rows = await Promise.all(
    ["oauth_clients", "oauth_grants", "oauth_tokens"].map(
      async (name) => (await testEnv.DB.prepare(`SELECT * FROM ${name}`).all()).results,
    ),
  );
  const text = JSON.stringify(rows);
  expect(text).toContain(await sha256Hex(code));
  for (const secret of [code, body.access_token, body.refresh_token, client.secret ?? ""])
    expect(text).not.toContain(secret.slice(9));
});

it("an address that tries many tokens has to wait", async () => {
  const address = "203.0.113.77";
  const ctx = compose({ ...testEnv, ALLOW_PRIVATE_ADDRESSES: undefined }, () => {}, address);
  const tries = async (count: number) => {
    for (let i = 0; i < count; i++) await openAccessToken(ctx, "crier_at_nonsense");
  };
  await tries(300);
  await expect(tries(1)).rejects.toMatchObject({ code: "rate_limited" });
});

it("a 401 at the MCP address names the metadata", () => {
  expect(challengeText(ORIGIN, false)).toBe(
    'Bearer resource_metadata="http://crier.test/.well-known/oauth-protected-resource/mcp", scope="mcp"',
  );
  expect(challengeText(ORIGIN, true)).toContain('error="invalid_token"');
});
