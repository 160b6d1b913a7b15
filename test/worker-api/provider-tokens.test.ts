// The conditions under which a provider's token signs a person in, tested with a provider that gives scripted answers.
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { base64Url } from "../../src/domain/encoding.ts";
import { testEnv } from "../support/env.ts";
import type { Script } from "../support/lying-provider.ts";
import { call, unique } from "../support/world.ts";
import { browse, expectRefused, reachCallback, START } from "./provider-sign-in.ts";

const issuer = testEnv.LYING_ISSUER;
const settings = { OIDC_ISSUER: issuer };
const now = () => Math.floor(Date.now() / 1000);
const encode = (script: Script) => base64Url(new TextEncoder().encode(JSON.stringify(script)));

const SignedIn = z.object({ user: z.object({ email: z.string(), name: z.string().nullable() }) });

/** Encodes a truthful answer about a new person, with the changes of a test. */
function encodeAnswer({ claims, ...changes }: Script): string {
  const sub = unique("sub");
  return encode({ claims: { sub, email: `${sub}@example.com`, email_verified: true, ...claims }, ...changes });
}

/** Goes to the provider and back. */
async function walk(script: Script, cookies: Record<string, string> = {}, providerSettings = settings) {
  const callback = await reachCallback(encodeAnswer(script), cookies, START, providerSettings);
  return { response: await browse(callback, cookies, providerSettings), cookies };
}

async function expectSignedIn(
  script: Script,
  providerSettings = settings,
): Promise<{ email: string; name: string | null }> {
  const { response, cookies } = await walk(script, {}, providerSettings);
  expect(response.headers.get("location")).toBe("http://crier.test/");
  const { body } = await call("GET", "/v1/auth/me", { token: cookies.session });
  return SignedIn.parse(body).user;
}

describe("an accepted token", () => {
  it.each<[string, Script]>([
    ["is signed with RS256", {}],
    ["is signed with PS256", { signature: "PS256" }],
    ["is signed with ES256", { signature: "ES256" }],
    ["names its audience in a list of one", { claims: { aud: ["crier"] } }],
    ["names several audiences, and us as the authorized party", { claims: { aud: ["other", "crier"], azp: "crier" } }],
    ["was issued by a clock some seconds ahead", { claims: { iat: now() + 20 } }],
    ["has a header that names no key", { header: { kid: undefined }, signature: "ES256" }],
  ])("a token is accepted if it %s", async (_name, script) => {
    await expectSignedIn(script);
  });

  it("a token may come from an issuer whose setting ends with a slash", async () => {
    await expectSignedIn({}, { OIDC_ISSUER: `${issuer}/` });
  });

  it("a token is the only source of the address, and the userinfo of another person is never requested", async () => {
    const email = `${unique("own")}@example.com`;
    expect(await expectSignedIn({ claims: { email } })).toMatchObject({ email });
    expect(await (await fetch(`${issuer}/userinfo-calls`)).text()).toBe("0");
  });

  it("a token signs in the same person after the address has changed at the provider", async () => {
    const sub = unique("sub");
    const first = await expectSignedIn({ claims: { sub, email: `${sub}@example.com` } });
    expect(await expectSignedIn({ claims: { sub, email: `new-${sub}@example.com` } })).toEqual(first);
  });

  it("a token may have a name that is cut in the middle of a character", async () => {
    const name = `${"x".repeat(99)}\u{1f600}${"y".repeat(5_000)}`;
    const user = await expectSignedIn({ claims: { name } });
    expect(user.name?.isWellFormed()).toBe(true);
  });
});

describe("a refused token", () => {
  it.each<[string, Script]>([
    ["that is missing", { tokens: { id_token: null } }],
    ["that is an empty text", { tokens: { id_token: "" } }],
    ["with another nonce", { claims: { nonce: "other" } }],
    ["without a nonce", { claims: { nonce: null } }],
    ["signed with a key that the provider does not list", { signature: "RS256 unlisted" }],
    ["signed with an unlisted key under a listed name", { signature: "RS256 unlisted", header: { kid: "RS256" } }],
    ["with a key name that is not listed", { header: { kid: "withdrawn" } }],
    ["without a signature", { signature: "none" }],
    ["without a signature, under a listed name", { signature: "none", header: { kid: "RS256" } }],
    ["whose secret is the public key", { signature: "HS256 with the public key", header: { kid: "RS256" } }],
    ["whose secret is the modulus", { signature: "HS256 with the modulus", header: { kid: "RS256" } }],
    ["whose secret is the client's", { signature: "HS256 with the client secret" }],
    ["signed with ES384", { signature: "ES384" }],
    ["signed with EdDSA", { signature: "EdDSA" }],
    ["that names another algorithm than its key", { signature: "PS256", header: { alg: "RS256", kid: "PS256" } }],
    ["that brings its own key", { signature: "RS256 unlisted", header: { jwk: {}, jku: `${issuer}/keys` } }],
    ["with a critical header", { header: { crit: ["b64"], b64: false } }],
    ["for another audience", { claims: { aud: "someone" } }],
    ["for no audience", { claims: { aud: [] } }],
    ["for several audiences without an authorized party", { claims: { aud: ["crier", "other"] } }],
    ["for several audiences, authorized to another", { claims: { aud: ["crier", "other"], azp: "other" } }],
    ["from another issuer", { claims: { iss: "https://evil.example" } }],
    ["from the issuer with an additional slash", { claims: { iss: `${issuer}/` } }],
    ["from an issuer in capitals", { claims: { iss: issuer.toUpperCase() } }],
    ["that expired an hour ago", { claims: { iat: now() - 7_200, exp: now() - 3_600 } }],
    ["that never expires", { claims: { exp: null } }],
    ["whose expiry is a string", { claims: { exp: String(now() + 600) } }],
    ["issued an hour from now", { claims: { iat: now() + 3_600, exp: now() + 7_200 } }],
    ["valid an hour from now", { claims: { nbf: now() + 3_600, exp: now() + 7_200 } }],
    ["without a subject", { claims: { sub: null } }],
    ["with an empty subject", { claims: { sub: "" } }],
    ["with a number as its subject", { claims: { sub: 7 } }],
    ["with a subject longer than the standard allows", { claims: { sub: "s".repeat(256) } }],
    ["next to an error", { tokenStatus: 400 }],
    ["without an access token", { tokens: { access_token: null } }],
    ["in an answer of megabytes", { padding: 2_000_000 }],
    ["next to an error in the address", { callback: { error: "access_denied" } }],
    ["from another issuer's address", { callback: { iss: "https://evil.example" } }],
  ])("refuses a token %s", async (_name, script) => {
    const { response, cookies } = await walk(script);
    expectRefused(response, "provider_refused", cookies);
  });

  it.each<[string, Record<string, unknown>]>([
    ["is not verified", { email_verified: false }],
    ["has no statement about its verification", { email_verified: null }],
    ["is verified by a string", { email_verified: "true" }],
    ["is missing", { email: null }],
    ["is empty", { email: "" }],
    ["is a list", { email: ["ada@example.com"] }],
    ["is not an address", { email: "ada" }],
    ["is two addresses", { email: "ada@example.com, eve@example.com" }],
    ["has a second line", { email: "ada@example.com\r\nBcc: eve@example.com" }],
    ["is longer than an address may be", { email: `${"a".repeat(400)}@example.com` }],
    ["has a letter that becomes another in lower case", { email: `${unique("mi\u212Ae")}@example.com` }],
    ["has an invisible character", { email: `${unique("a\u200B")}@example.com` }],
  ])("refuses a token whose address %s", async (_name, claims) => {
    const { response, cookies } = await walk({ claims });
    expectRefused(response, "email_not_verified", cookies);
  });

  it("refuses a second token for a state that has signed a person in, even with a new code", async () => {
    const cookies: Record<string, string> = {};
    const started = await browse(START, cookies, settings);
    const callbacks: string[] = [];
    for (let code = 0; code < 2; code++) {
      const address = new URL(started.headers.get("location") ?? "");
      address.searchParams.set("login_hint", encodeAnswer({}));
      callbacks.push((await browse(address.href, {})).headers.get("location") ?? "");
    }
    const browsers = callbacks.map(() => ({ ...cookies }));
    await Promise.all(callbacks.map((callback, i) => browse(callback, browsers[i] ?? {}, settings)));
    expect(browsers.filter((browser) => "session" in browser)).toHaveLength(1);
  });

  it("refuses the right code after a callback with its state was refused, so that a code cannot be guessed", async () => {
    const cookies: Record<string, string> = {};
    const callback = new URL(await reachCallback(encodeAnswer({}), cookies, START, settings));
    const guess = new URL(callback);
    guess.searchParams.set("code", "guessed");
    expectRefused(await browse(guess.href, { ...cookies }, settings), "provider_refused", cookies);
    expectRefused(await browse(callback.href, cookies, settings), "state_invalid", cookies);
  });

  it("refuses a callback whose sign-in began at another issuer", async () => {
    const cookies: Record<string, string> = {};
    const callback = await reachCallback(encodeAnswer({}), cookies, START, settings);
    expectRefused(await browse(callback, cookies), "state_invalid", cookies);
  });
});
