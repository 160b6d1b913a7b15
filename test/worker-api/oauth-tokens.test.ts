// The tokens of an application: renewed, refused, and their end.
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/adapters/digest.ts";
import { compose } from "../../src/compose.ts";
import { openAccessToken } from "../../src/operations/oauth/open-access-token.ts";
import { testEnv } from "../support/env.ts";
import {
  type Client,
  codeFor,
  exchangeOf,
  fetchCrier,
  type Issued,
  opened,
  refreshOf,
  register,
  tokenCall,
  tokensFor,
} from "../support/oauth.ts";
import { signUp } from "../support/world.ts";

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

  it("that comes again at once leaves one access token good, whichever line goes on", async () => {
    for (const goesOn of ["first", "second"]) {
      const account = await signUp();
      const client = await register();
      const issued = await tokensFor(account, client);
      const first = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
      const second = await tokenCall<Issued>(refreshOf(client, issued.refresh_token));
      for (const { access_token } of [issued, first.body]) expect(await opened(access_token)).toBeNull();
      expect(await opened(second.body.access_token)).not.toBeNull();

      const [line, other] = goesOn === "first" ? [first, second] : [second, first];
      const next = await tokenCall<Issued>(refreshOf(client, line.body.refresh_token));
      expect(await opened(second.body.access_token)).toBeNull();
      expect(await opened(next.body.access_token)).not.toBeNull();
      // Both go on: one of them belongs to somebody else, so both end.
      expect((await tokenCall(refreshOf(client, other.body.refresh_token))).status).toBe(400);
      expect(await opened(next.body.access_token)).toBeNull();
      expect((await tokenCall(refreshOf(client, next.body.refresh_token))).status).toBe(400);
    }
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
  const ctx = compose({ ...testEnv, ALLOW_PRIVATE_ADDRESSES: undefined }, () => {}, { address });
  const tries = async (count: number) => {
    for (let i = 0; i < count; i++) await openAccessToken(ctx, "crier_at_nonsense");
  };
  await tries(300);
  await expect(tries(1)).rejects.toMatchObject({ code: "rate_limited" });
});
