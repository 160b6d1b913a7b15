import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { compose } from "../../src/compose.ts";
import worker from "../../src/index.ts";
import { readDevice } from "../../src/operations/accounts/device.ts";
import { testEnv } from "../support/env.ts";
import { mailsTo } from "../support/mails.ts";
import { expectNothingLeft, prepareAccount } from "../support/unproven-account.ts";
import { call, signUp, unique } from "../support/world.ts";

interface Claims {
  email: string;
  email_verified: boolean | string;
  name?: string;
  n?: number;
}
const CALLBACK = "http://crier.test/v1/oauth/google/callback";
const START = "http://crier.test/v1/oauth/google/start";

/** One request of a browser with its cookies, to Crier with other settings where a test wants them. */
async function browse(
  url: string,
  cookies: Record<string, string>,
  settings: Record<string, string | undefined> = {},
): Promise<Response> {
  const headers = {
    cookie: Object.entries(cookies)
      .map(([name, value]) => `${name}=${value}`)
      .join("; "),
  };
  const request = new Request(url, { headers, redirect: "manual" });
  const execution = createExecutionContext();
  const response = url.startsWith("http://crier.test/")
    ? await worker.fetch(
        new Request<unknown, IncomingRequestCfProperties>(request),
        { ...testEnv, ...settings },
        execution,
      )
    : await fetch(request);
  await waitOnExecutionContext(execution);
  for (const cookie of response.headers.getSetCookie()) {
    const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
    if (value === "") delete cookies[name];
    else cookies[name] = value;
  }
  return response;
}

const hint = (claims: Claims) =>
  btoa(JSON.stringify(claims)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** From the start to the provider's redirect back to us, which is returned without being followed. */
async function toCallback(loginHint: string, cookies: Record<string, string>, start = START): Promise<string> {
  const started = await browse(start, cookies);
  expect(started.status).toBe(302);
  let at = new URL(started.headers.get("location") ?? "");
  at.searchParams.set("login_hint", loginHint);
  const provider: Record<string, string> = {};
  for (let hop = 0; hop < 10; hop++) {
    const response = await browse(at.href, provider);
    const location = response.headers.get("location");
    if (location === null)
      throw new Error(`no redirect from ${at.pathname}: ${response.status} ${await response.text()}`);
    at = new URL(location, at);
    if (at.href.startsWith(CALLBACK)) return at.href;
  }
  throw new Error("the provider never came back");
}

async function enter(claims: Claims, cookies: Record<string, string> = {}) {
  const response = await browse(await toCallback(hint(claims), cookies), cookies);
  return { response, cookies };
}
const person = (): Claims => ({ email: `${unique("idp")}@example.com`, email_verified: true, name: "Grace" });

async function expectRefused(response: Response, error: string, cookies: Record<string, string>) {
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`http://crier.test/auth?error=${error}`);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(cookies).not.toHaveProperty("session");
}

describe("sign-in through a provider", () => {
  it("makes an account with a workspace, and finds it again", async () => {
    const claims = person();
    const { response, cookies } = await enter(claims);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe("http://crier.test/");
    const me = await call("GET", "/v1/auth/me", { token: cookies.session });
    expect(me.body).toMatchObject({
      user: { email: claims.email, name: "Grace", email_verified: true },
      workspaces: [{ role: "owner" }],
    });
    expect(cookies).not.toHaveProperty("oauth");
    const again = await enter(claims);
    expect((await call("GET", "/v1/auth/me", { token: again.cookies.session })).body).toEqual(me.body);
  });

  it("leads back to an application's request, and to no other address that somebody names", async () => {
    const returnTo = async (address: string) => {
      const cookies: Record<string, string> = {};
      const start = `${START}?continue=${encodeURIComponent(address)}`;
      const response = await browse(await toCallback(hint(person()), cookies, start), cookies);
      expect(cookies).not.toHaveProperty("return_to");
      return response.headers.get("location");
    };
    const request = "/oauth/authorize?client_id=https%3A%2F%2Fa.example%2Fc&state=a%20b%C3%A9";
    expect(await returnTo(request)).toBe(`http://crier.test${request}`);
    for (const elsewhere of [
      "https://evil.example",
      "//evil.example",
      "/oauth/authorize/../../x",
      "/oauth/authorize@evil.example",
      `/oauth/authorize?${"x".repeat(3_000)}`,
      "/v1/auth/me",
    ])
      expect(await returnTo(elsewhere), elsewhere).toBe("http://crier.test/");
  });

  it("that a new person begins five times at once makes one account", async () => {
    const claims = person();
    const walks = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const cookies: Record<string, string> = {};
        return { cookies, url: await toCallback(hint(claims), cookies) };
      }),
    );
    const answers = await Promise.all(walks.map(({ url, cookies }) => browse(url, cookies)));
    expect(answers.map((answer) => answer.headers.get("location"))).toEqual(Array(5).fill("http://crier.test/"));
    const users = await testEnv.DB.prepare("SELECT COUNT(*) AS n FROM users WHERE email = ?")
      .bind(claims.email)
      .first("n");
    expect(users).toBe(1);
  });

  it("leaves the browser a proof that its owner was there, of the account's own address, as a password does", async () => {
    const claims = person();
    const { cookies } = await enter(claims);
    const ctx = compose(testEnv, () => {});
    expect(await readDevice(ctx, claims.email, cookies.device)).not.toBeNull();
    // The provider has given the person another address since; the account keeps its own.
    const email = `${unique("stored")}@example.com`;
    await testEnv.DB.prepare("UPDATE users SET email = ? WHERE email = ?").bind(email, claims.email).run();
    const again = await enter(claims);
    expect(await readDevice(ctx, email, again.cookies.device)).not.toBeNull();
    expect(await readDevice(ctx, claims.email, again.cookies.device)).toBeNull();
  });

  it("is offered only where it is configured", async () => {
    const methods = await call("GET", "/v1/auth/methods");
    expect(methods.body).toEqual({ password: true, providers: [{ id: "google", name: "Google", start_url: START }] });
    const without = { OIDC_CLIENT_SECRET: undefined };
    expect(await (await browse("http://crier.test/v1/auth/methods", {}, without)).json()).toEqual({
      password: true,
      providers: [],
    });
    for (const url of [START, `${CALLBACK}?state=x`]) {
      const response = await browse(url, {}, without);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: "sign_in_not_configured" });
    }
    expect((await browse("http://crier.test/v1/oauth/other/start", {})).status).toBe(404);
  });

  it("joins an account whose address was proven, and leaves its password", async () => {
    const account = await signUp();
    await testEnv.DB.prepare("UPDATE users SET email_verified_at = 1 WHERE email = ?").bind(account.email).run();
    const { cookies } = await enter({ email: account.email, email_verified: true });
    expect((await call("GET", "/v1/auth/me", { token: cookies.session })).body).toMatchObject({
      workspaces: [{ id: account.workspace }],
    });
    expect(
      (await call("POST", "/v1/auth/login", { body: account && { email: account.email, password: account.password } }))
        .status,
    ).toBe(200);
  });

  it("an account that somebody else made in advance is taken over empty, and its owner gets a mail", async () => {
    const prepared = await prepareAccount();
    const { email } = prepared.attacker;
    const { cookies } = await enter({ email, email_verified: true });
    await expectNothingLeft(prepared, cookies.session ?? "");
    expect((await mailsTo(email, 1))[0]).toMatchObject({ subject: "Your Crier account is now yours alone" });
  });
});

describe("a callback that is not what it should be", () => {
  it.each([
    ["without a state", (url: URL) => url.searchParams.delete("state"), "state_invalid"],
    [
      "with a forged state",
      (url: URL) => url.searchParams.set("state", `${url.searchParams.get("state")}x`),
      "state_invalid",
    ],
    ["with another's code", (url: URL) => url.searchParams.set("code", "stolen"), "provider_refused"],
    ["from another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example"), "provider_refused"],
    [
      "with an error",
      (url: URL) => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "access_denied");
      },
      "provider_refused",
    ],
  ])("%s is refused, and sets no cookie", async (_name, change, error) => {
    const cookies: Record<string, string> = {};
    const url = new URL(await toCallback(hint(person()), cookies));
    change(url);
    await expectRefused(await browse(url.href, cookies), error, cookies);
  });

  it("in another browser, or a second time, is refused", async () => {
    const cookies: Record<string, string> = {};
    const url = await toCallback(hint(person()), cookies);
    await expectRefused(await browse(url, {}), "state_invalid", {});
    await expectRefused(await browse(url, { oauth: "another" }), "state_invalid", {});
    const kept = { ...cookies };
    expect((await browse(url, cookies)).headers.get("location")).toBe("http://crier.test/");
    const replayed = await browse(url, kept);
    expect(replayed.headers.get("location")).toMatch(/^http:\/\/crier\.test\/auth\?error=/);
    expect(replayed.headers.getSetCookie()).toEqual([]);
  });

  it("with a state older than ten minutes is refused", async () => {
    const cookies: Record<string, string> = { oauth: "secret" };
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("secret"));
    const browser = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const key = new TextEncoder().encode(testEnv.SIGNING_KEY);
    const state = await new SignJWT({ browser })
      .setProtectedHeader({ alg: "HS256" })
      .setAudience("sign-in")
      .setJti("1")
      .setExpirationTime(new Date(Date.now() - 1_000))
      .sign(key);
    await expectRefused(await browse(`${CALLBACK}?code=x&state=${state}`, cookies), "state_invalid", cookies);
  });

  it.each([{ email_verified: false }, { email_verified: "true" }])(
    "of an address that is not verified (%j) is refused",
    async (verified) => {
      const cookies: Record<string, string> = {};
      const response = await browse(await toCallback(hint({ ...person(), ...verified }), cookies), cookies);
      await expectRefused(response, "email_not_verified", cookies);
    },
  );

  it("of an address that the provider has given to another person is refused; the account stays with the first", async () => {
    const claims = person();
    const first = await enter(claims);
    const cookies: Record<string, string> = {};
    const response = await browse(await toCallback(hint({ ...claims, n: 2 }), cookies), cookies);
    await expectRefused(response, "identity_changed", cookies);
    expect((await enter(claims)).response.headers.get("location")).toBe("http://crier.test/");
    expect((await call("GET", "/v1/auth/me", { token: first.cookies.session })).status).toBe(200);
  });

  it("leads nowhere but to our own pages, whatever it was begun with", async () => {
    const cookies: Record<string, string> = {};
    const started = await browse(
      `${START}?return_to=https://evil.example/&redirect_uri=https://evil.example/`,
      cookies,
    );
    expect(started.headers.get("location")).not.toContain("evil.example");
  });

  it("of a person who said no is refused", async () => {
    const cookies: Record<string, string> = {};
    await expectRefused(await browse(await toCallback("nobody", cookies), cookies), "provider_refused", cookies);
  });
});

describe("a provider that lies", () => {
  const settings = { OIDC_ISSUER: testEnv.HOSTILE_ISSUER };
  let keys: Awaited<ReturnType<typeof generateKeyPair>>;
  let other: typeof keys;
  beforeAll(async () => {
    [keys, other] = [
      await generateKeyPair("RS256", { extractable: true }),
      await generateKeyPair("RS256", { extractable: true }),
    ];
  });

  /** Walks to the hostile provider and back; `token` makes the ID token for the nonce that was asked for. */
  async function walk(
    token: (nonce: string) => Promise<string>,
  ): Promise<{ response: Response; cookies: Record<string, string> }> {
    const cookies: Record<string, string> = {};
    const started = await browse(START, cookies, settings);
    const asked = new URL(started.headers.get("location") ?? "").searchParams;
    expect(asked.get("code_challenge_method")).toBe("S256");
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: "1", alg: "RS256", use: "sig" };
    const tokens = { access_token: "x", token_type: "bearer", id_token: await token(asked.get("nonce") ?? "") };
    await fetch(`${testEnv.HOSTILE_ISSUER}/script`, {
      method: "POST",
      body: JSON.stringify({ keys: { keys: [jwk] }, tokens }),
    });
    const response = await browse(`${CALLBACK}?code=x&state=${asked.get("state")}`, cookies, settings);
    return { response, cookies };
  }
  const email = () => `${unique("lie")}@example.com`;
  const signed =
    (claims: object, key = keys.privateKey) =>
    (nonce: string) =>
      new SignJWT({ nonce, email: email(), email_verified: true, sub: "1", ...claims })
        .setProtectedHeader({ alg: "RS256", kid: "1" })
        .setIssuer(testEnv.HOSTILE_ISSUER)
        .setAudience("crier")
        .setIssuedAt()
        .setExpirationTime("5m")
        .sign(key);

  it("is believed when it tells the truth, so that the rest means something", async () => {
    const { response } = await walk(signed({ sub: unique("s") }));
    expect(response.headers.get("location")).toBe("http://crier.test/");
  });

  it.each<[string, (nonce: string) => Promise<string>]>([
    ["another nonce", () => signed({})("other")],
    ["a signature of another key", (nonce) => signed({}, other.privateKey)(nonce)],
    [
      "alg none",
      async (nonce) => {
        const [, payload = ""] = (await signed({})(nonce)).split(".");
        return `${btoa('{"alg":"none"}').replaceAll("=", "")}.${payload}.`;
      },
    ],
    [
      "HS256 with the public key as secret",
      async (nonce) => {
        const { n = "" } = await exportJWK(keys.publicKey);
        return new SignJWT({ nonce, email: email(), email_verified: true, sub: "1" })
          .setProtectedHeader({ alg: "HS256", kid: "1" })
          .setIssuer(testEnv.HOSTILE_ISSUER)
          .setAudience("crier")
          .setIssuedAt()
          .setExpirationTime("5m")
          .sign(new TextEncoder().encode(n));
      },
    ],
    [
      "another audience",
      async (nonce) =>
        new SignJWT({ nonce, email: email(), email_verified: true, sub: "1" })
          .setProtectedHeader({ alg: "RS256", kid: "1" })
          .setIssuer(testEnv.HOSTILE_ISSUER)
          .setAudience("someone")
          .setIssuedAt()
          .setExpirationTime("5m")
          .sign(keys.privateKey),
    ],
    [
      "another issuer",
      async (nonce) =>
        new SignJWT({ nonce, email: email(), email_verified: true, sub: "1" })
          .setProtectedHeader({ alg: "RS256", kid: "1" })
          .setIssuer("https://evil.example")
          .setAudience("crier")
          .setIssuedAt()
          .setExpirationTime("5m")
          .sign(keys.privateKey),
    ],
    [
      "an hour ago",
      async (nonce) =>
        new SignJWT({ nonce, email: email(), email_verified: true, sub: "1" })
          .setProtectedHeader({ alg: "RS256", kid: "1" })
          .setIssuer(testEnv.HOSTILE_ISSUER)
          .setAudience("crier")
          .setIssuedAt(Math.floor(Date.now() / 1000) - 7_200)
          .setExpirationTime(Math.floor(Date.now() / 1000) - 3_600)
          .sign(keys.privateKey),
    ],
    ["no token at all", async () => ""],
  ])("%s is refused, and sets no cookie", async (_name, token) => {
    const { response, cookies } = await walk(token);
    await expectRefused(response, "provider_refused", cookies);
  });

  it("or is not there at all, leads back with a reason", async () => {
    const response = await browse(START, {}, { OIDC_ISSUER: "http://127.0.0.1:1" });
    expect(response.headers.get("location")).toBe("http://crier.test/auth?error=provider_unavailable");
  });
});
