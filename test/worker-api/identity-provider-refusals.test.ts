// Callbacks of an identity provider that are refused. Its tokens are tested in provider-tokens.test.ts.
import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { testEnv } from "../support/env.ts";
import { call } from "../support/world.ts";
import {
  browse,
  CALLBACK,
  createPerson,
  encodeHint,
  enter,
  expectRefused,
  reachCallback,
  START,
} from "./provider-sign-in.ts";

describe("an invalid callback", () => {
  it.each([
    ["without a state", (url: URL) => url.searchParams.delete("state"), "state_invalid"],
    [
      "with a forged state",
      (url: URL) => url.searchParams.set("state", `${url.searchParams.get("state")}x`),
      "state_invalid",
    ],
    ["with the code of another sign-in", (url: URL) => url.searchParams.set("code", "stolen"), "provider_refused"],
    ["from another issuer", (url: URL) => url.searchParams.set("iss", "https://evil.example"), "provider_refused"],
    [
      "from the issuer with an additional slash",
      (url: URL) => url.searchParams.set("iss", `${url.searchParams.get("iss")}/`),
      "provider_refused",
    ],
    ["without the issuer that the provider promises", (url: URL) => url.searchParams.delete("iss"), "provider_refused"],
    ["with two codes", (url: URL) => url.searchParams.append("code", "stolen"), "provider_refused"],
    ["with two states", (url: URL) => url.searchParams.append("state", "x"), "provider_refused"],
    ["with a token in it", (url: URL) => url.searchParams.set("response", "x"), "provider_refused"],
    [
      "with an error",
      (url: URL) => {
        url.searchParams.delete("code");
        url.searchParams.set("error", "access_denied");
      },
      "provider_refused",
    ],
  ])("a callback %s is refused without setting a cookie", async (_name, change, error) => {
    const cookies: Record<string, string> = {};
    const url = new URL(await reachCallback(encodeHint(createPerson()), cookies));
    change(url);
    expectRefused(await browse(url.href, cookies), error, cookies);
  });

  it("a callback in another browser, or a second time, is refused", async () => {
    const cookies: Record<string, string> = {};
    const url = await reachCallback(encodeHint(createPerson()), cookies);
    expectRefused(await browse(url, {}), "state_invalid", {});
    expectRefused(await browse(url, { oauth: "another" }), "state_invalid", {});
    const cookiesBefore = { ...cookies };
    expect((await browse(url, cookies)).headers.get("location")).toBe("http://crier.test/");
    const replayed = await browse(url, cookiesBefore);
    expect(replayed.headers.get("location")).toMatch(/^http:\/\/crier\.test\/auth\?error=/);
    expect(replayed.headers.getSetCookie()).toEqual([]);
  });

  it("a callback with the valid code of another browser is refused, and neither browser is signed in", async () => {
    const [victim, attacker]: Record<string, string>[] = [{}, {}];
    const url = new URL(await reachCallback(encodeHint(createPerson()), victim ?? {}));
    const stolen = new URL(await reachCallback(encodeHint(createPerson()), attacker ?? {}));
    url.searchParams.set("code", stolen.searchParams.get("code") ?? "");
    expectRefused(await browse(url.href, victim ?? {}), "provider_refused", victim ?? {});
  });

  it("a callback is accepted once, even if many arrive at the same time", async () => {
    const cookies: Record<string, string> = {};
    const url = await reachCallback(encodeHint(createPerson()), cookies);
    const browsers = Array.from({ length: 5 }, () => ({ ...cookies }));
    await Promise.all(browsers.map((browser) => browse(url, browser)));
    expect(browsers.filter((browser) => "session" in browser)).toHaveLength(1);
  });

  it("a callback with a state older than ten minutes is refused", async () => {
    const cookies: Record<string, string> = { oauth: "secret" };
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode("secret"));
    const browser = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    const key = new TextEncoder().encode(testEnv.SIGNING_KEY);
    const state = await new SignJWT({ browser })
      .setProtectedHeader({ alg: "HS256" })
      .setIssuer(testEnv.OIDC_ISSUER ?? "")
      .setAudience("sign-in")
      .setJti("1")
      .setExpirationTime(new Date(Date.now() - 1_000))
      .sign(key);
    expectRefused(await browse(`${CALLBACK}?code=x&state=${state}`, cookies), "state_invalid", cookies);
  });

  it.each([{ email_verified: false }, { email_verified: "true" }])(
    "a callback with an address that is not verified (%j) is refused",
    async (verified) => {
      const cookies: Record<string, string> = {};
      const response = await browse(
        await reachCallback(encodeHint({ ...createPerson(), ...verified }), cookies),
        cookies,
      );
      expectRefused(response, "email_not_verified", cookies);
    },
  );

  it("a callback with an address that the provider reassigned to another person is refused, and the account stays with the first person", async () => {
    const claims = createPerson();
    const first = await enter(claims);
    const cookies: Record<string, string> = {};
    const response = await browse(await reachCallback(encodeHint({ ...claims, n: 2 }), cookies), cookies);
    expectRefused(response, "identity_changed", cookies);
    expect((await enter(claims)).response.headers.get("location")).toBe("http://crier.test/");
    expect((await call("GET", "/v1/auth/me", { token: first.cookies.session })).status).toBe(200);
  });

  it("a sign-in redirects only to our own pages, whatever addresses it was started with", async () => {
    const cookies: Record<string, string> = {};
    const started = await browse(
      `${START}?return_to=https://evil.example/&redirect_uri=https://evil.example/`,
      cookies,
    );
    expect(started.headers.get("location")).not.toContain("evil.example");
  });

  it("a callback of a person who declined is refused", async () => {
    const cookies: Record<string, string> = {};
    expectRefused(await browse(await reachCallback("nobody", cookies), cookies), "provider_refused", cookies);
  });
});

it("a sign-in through an unavailable provider returns to the sign-in page with a reason", async () => {
  const response = await browse(START, {}, { OIDC_ISSUER: "http://127.0.0.1:1" });
  expect(response.headers.get("location")).toBe("http://crier.test/auth?error=provider_unavailable");
});
