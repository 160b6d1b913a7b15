// The tokens of an application: their renewal, refusals and end.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "../support/env.ts";
import {
  type Client,
  codeFor,
  exchangeFields,
  fetchCrier,
  type Issued,
  openToken,
  refreshFields,
  register,
  tokenCall,
  tokensFor,
} from "../support/oauth.ts";
import { signUp } from "../support/world.ts";

/** Makes a refresh token older by `ms`: its exchange and its expiry move back in time. */
async function ageToken(token: string, ms: number): Promise<void> {
  await testEnv.DB.prepare(
    "UPDATE oauth_tokens SET used_at = used_at - ?1, expires_at = expires_at - ?1 WHERE hash = ?2",
  )
    .bind(ms, await sha256Hex(token))
    .run();
}
const MINUTE_MS = 60_000;

describe("a refresh token", () => {
  it("a refresh token is exchanged for new tokens, and the old access token stays valid for its hour", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    expect(renewed.status).toBe(200);
    expect(renewed.body.refresh_token).not.toBe(issued.refresh_token);
    expect(await openToken(renewed.body.access_token)).toMatchObject({ workspaceId: account.workspace });
    expect(await openToken(issued.access_token)).not.toBeNull();
  });

  it("a refresh token that is used again after a while ends the grant, and with it all tokens of the client or a thief", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    await ageToken(issued.refresh_token, MINUTE_MS);
    expect(await tokenCall(refreshFields(client, issued.refresh_token))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    expect(await openToken(renewed.body.access_token)).toBeNull();
    expect(await tokenCall(refreshFields(client, renewed.body.refresh_token))).toMatchObject({ status: 400 });
  });

  it("a refresh token that is used again at once is answered again, because its first answer may have been lost", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const lost = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    const again = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    expect(again.status).toBe(200);
    // Only one of the two answers can be continued, the one that is used first.
    expect((await tokenCall(refreshFields(client, again.body.refresh_token))).status).toBe(200);
    expect((await tokenCall(refreshFields(client, lost.body.refresh_token))).status).toBe(400);
    expect(await openToken(again.body.access_token)).toBeNull();
  });

  it("a refresh token that is used twice at once leaves one valid access token, whichever answer is used next", async () => {
    for (const continues of ["first", "second"]) {
      const account = await signUp();
      const client = await register();
      const issued = await tokensFor(account, client);
      const first = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
      const second = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
      for (const { access_token } of [issued, first.body]) expect(await openToken(access_token)).toBeNull();
      expect(await openToken(second.body.access_token)).not.toBeNull();

      const [continued, abandoned] = continues === "first" ? [first, second] : [second, first];
      const next = await tokenCall<Issued>(refreshFields(client, continued.body.refresh_token));
      expect(await openToken(second.body.access_token)).toBeNull();
      expect(await openToken(next.body.access_token)).not.toBeNull();
      // If both answers are used, one of them is in foreign hands, so both end.
      expect((await tokenCall(refreshFields(client, abandoned.body.refresh_token))).status).toBe(400);
      expect(await openToken(next.body.access_token)).toBeNull();
      expect((await tokenCall(refreshFields(client, next.body.refresh_token))).status).toBe(400);
    }
  });

  it("a refresh token that is used again at once, but after its successor was exchanged, ends the grant", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const second = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    const third = await tokenCall<Issued>(refreshFields(client, second.body.refresh_token));
    expect(third.status).toBe(200);
    expect((await tokenCall(refreshFields(client, issued.refresh_token))).status).toBe(400);
    expect(await openToken(third.body.access_token)).toBeNull();
  });

  it("a refresh token that is exchanged many times at once leaves one answer that can be continued", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => tokenCall<Issued>(refreshFields(client, issued.refresh_token))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
    const lines = answers.map(({ body }) => body.refresh_token);
    expect((await tokenCall(refreshFields(client, lines[3] ?? ""))).status).toBe(200);
    for (const line of [lines[0], lines[3]])
      expect((await tokenCall(refreshFields(client, line ?? ""))).status).toBe(400);
  });

  it("a refresh token expires after thirty days without use", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    await ageToken(issued.refresh_token, 30 * 24 * 60 * MINUTE_MS + 1);
    expect(await tokenCall(refreshFields(client, issued.refresh_token))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
  });
});

describe("the token endpoint", () => {
  const expectRefusal = async (changes: Record<string, string | null>, error: string, status = 400) => {
    const account = await signUp();
    const client = await register();
    const good = exchangeFields(client, await codeFor(account, client));
    const fields = Object.fromEntries(
      Object.entries({ ...good, ...changes }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
    expect(await tokenCall(fields), JSON.stringify(changes)).toMatchObject({ status, body: { error } });
    // The refused call has used nothing up.
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
  ] as [Record<string, string | null>, string][])("the token endpoint refuses %j with %s", (changes, error) =>
    expectRefusal(changes, error),
  );

  it("the token endpoint refuses an unknown client", () =>
    expectRefusal({ client_id: "client_01kac48r4w7y2a8c5e1g6j0k4n" }, "invalid_client", 401));

  it("the token endpoint refuses another client's code and refresh token, which stay valid", async () => {
    const account = await signUp();
    const [client, otherClient] = [await register(), await register()];
    const code = await codeFor(account, client);
    expect(await tokenCall(exchangeFields(otherClient, code))).toMatchObject({
      status: 400,
      body: { error: "invalid_grant" },
    });
    const { body } = await tokenCall<Issued>(exchangeFields(client, code));
    expect(await tokenCall(refreshFields(otherClient, body.refresh_token))).toMatchObject({ status: 400 });
    expect((await tokenCall(refreshFields(client, body.refresh_token))).status).toBe(200);
  });

  it("the token endpoint refuses a token of another kind", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    expect((await tokenCall(refreshFields(client, issued.access_token))).status).toBe(400);
    expect(await openToken(issued.refresh_token)).toBeNull();
  });

  it("the token endpoint refuses bodies that are not a form, and repeated parameters", async () => {
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

describe("POST /oauth/revoke", () => {
  const revoke = (client: Client, token: string) => tokenCall({ client_id: client.id, token }, {}, "/oauth/revoke");

  it("revoking an access token ends that token, and revoking a refresh token ends the whole grant", async () => {
    const account = await signUp();
    const client = await register();
    const issued = await tokensFor(account, client);
    const renewed = await tokenCall<Issued>(refreshFields(client, issued.refresh_token));
    expect((await revoke(client, issued.access_token)).status).toBe(200);
    expect(await openToken(issued.access_token)).toBeNull();
    expect(await openToken(renewed.body.access_token)).not.toBeNull();
    expect((await revoke(client, renewed.body.refresh_token)).status).toBe(200);
    expect(await openToken(renewed.body.access_token)).toBeNull();
  });

  it("revoking an unknown token or another client's token has the same answer and no effect", async () => {
    const account = await signUp();
    const [client, otherClient] = [await register(), await register()];
    const issued = await tokensFor(account, client);
    for (const token of [issued.refresh_token, issued.access_token, "nonsense"])
      expect((await revoke(otherClient, token)).status).toBe(200);
    expect(await openToken(issued.access_token)).not.toBeNull();
  });
});

it("no code, token or secret is stored in plain text", async () => {
  const account = await signUp();
  const client = await register({ token_endpoint_auth_method: "client_secret_post" });
  const code = await codeFor(account, client);
  const { body } = await tokenCall<Issued>(exchangeFields(client, code));
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

it("a network address that tries many tokens has to wait", async () => {
  const address = "203.0.113.77";
  const ctx = compose({ ...testEnv, ALLOW_PRIVATE_ADDRESSES: undefined }, () => {}, { address });
  const tries = async (count: number) => {
    for (let i = 0; i < count; i++) await openAccessToken(ctx, "crier_at_nonsense");
  };
  await tries(300);
  await expect(tries(1)).rejects.toMatchObject({ code: "rate_limited" });
});
