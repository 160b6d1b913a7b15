// What is refused of a provider: a callback that is not what it should be, and lies.
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call, unique } from "../support/world.ts";
import { browse, CALLBACK, enter, hint, person, START, toCallback } from "./provider-sign-in.ts";

async function expectRefused(response: Response, error: string, cookies: Record<string, string>) {
  expect(response.status).toBe(302);
  expect(response.headers.get("location")).toBe(`http://crier.test/auth?error=${error}`);
  expect(response.headers.getSetCookie()).toEqual([]);
  expect(cookies).not.toHaveProperty("session");
}

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
