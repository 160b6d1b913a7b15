// A person's consent at Google, with its simulator.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { App } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { faultCall, prepare, rejection, video } from "./youtube-driver.ts";

withSimulators();

const UPLOAD = "https://www.googleapis.com/auth/youtube.upload";
const READONLY = "https://www.googleapis.com/auth/youtube.readonly";
const MANAGE = "https://www.googleapis.com/auth/youtube.force-ssl";

describe("a person's consent at Google", () => {
  const APP: App = { clientId: "sandbox-youtube", clientSecret: "sandbox", scopes: null };
  const redirectUri = "https://crier.test/v1/oauth/callback";
  const verifier = "v".repeat(43);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const io = () => makeIO(simulators, "youtube");

  function buildConsentUrl(app = APP): string {
    const url = new URL(youtube.consent?.address(app, { redirectUri, state: "s t&1", challenge }) ?? "");
    expect(url.origin + url.pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    return `${simulators.url}/youtube${url.pathname}${url.search}`;
  }
  /** The query with which the network redirects a person back, without a browser. */
  async function decide(extraQuery: string, app = APP): Promise<URLSearchParams> {
    const answer = await fetch(`${buildConsentUrl(app)}&${extraQuery}`, { redirect: "manual" });
    expect(answer.status).toBe(302);
    const back = new URL(answer.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(back.searchParams.get("state")).toBe("s t&1");
    return back.searchParams;
  }
  const exchange = (code: string | null, fields: object = {}, app = APP) =>
    youtube.consent?.exchange({ code: code ?? "", redirectUri, verifier, ...fields }, app, io());

  it("requests exactly the scopes that are used, for permanent access", () => {
    const query = Object.fromEntries(new URL(buildConsentUrl()).searchParams);
    expect(query).toEqual({
      response_type: "code",
      client_id: "sandbox-youtube",
      redirect_uri: redirectUri,
      scope: `${UPLOAD} ${READONLY} ${MANAGE}`,
      state: "s t&1",
      code_challenge: challenge,
      code_challenge_method: "S256",
      access_type: "offline",
      prompt: "consent",
      include_granted_scopes: "true",
    });
  });

  it("shows a person the requested scopes, and accepts the form", async () => {
    const page = await (await fetch(buildConsentUrl())).text();
    for (const fragment of [UPLOAD, READONLY, 'value="allow"', 'value="deny"', 'name="account"'])
      expect(page).toContain(fragment);
    const name = unique("person");
    const form = new URLSearchParams([
      ["account", name],
      ["scope", UPLOAD],
      ["scope", READONLY],
      ["decision", "allow"],
    ]);
    const answer = await fetch(buildConsentUrl(), { method: "POST", body: form, redirect: "manual" });
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code");
    expect(await exchange(code)).toMatchObject({ is: "granted", accounts: [{ handle: `@${name}` }] });
  });

  it("leads to the channel that it covers, which can publish and renew itself", async () => {
    const name = unique("consent");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const granted = await exchange(code);
    expect(granted).toMatchObject({ accounts: [{ is: "connected", handle: `@${name}`, tokenExpiresAt: null }] });
    if (granted?.is !== "granted" || granted.accounts[0] === undefined) throw new Error(granted?.is);
    const context = { credential: granted.accounts[0].credential, io: io() };
    expect((await prepare(video("x"), context)).answer).toMatchObject({ is: "prepared" });
    expect(await youtube.refresh?.(context)).toMatchObject({ is: "fresh" });
    expect(await exchange(code)).toMatchObject({
      is: "grant_refused",
      networkMessage: expect.stringContaining("Malformed"),
    });
  });

  it("reports when a person is needed again if the grant expires", async () => {
    const name = unique("testing");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const tokens = {
      access_token: `ya29.${name}`,
      expires_in: 3_599,
      refresh_token: `1//${name}`,
      scope: `${UPLOAD} ${READONLY} ${MANAGE}`,
      refresh_token_expires_in: 604_799,
    };
    await faultCall(simulators, { handle: `@${name}` }, "token", { do: "status", status: 200, body: tokens });
    const granted = await exchange(code);
    if (granted?.is !== "granted") throw new Error(granted?.is);
    const days = ((granted.accounts[0]?.tokenExpiresAt ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
  });

  it("returns access_denied if it is denied", async () => {
    expect(Object.fromEntries(await decide("decision=deny"))).toEqual({ error: "access_denied", state: "s t&1" });
  });

  it.each([
    ["a deselected permission", `decision=allow&granted=${encodeURIComponent(READONLY)}`, {}, "youtube.upload"],
    ["no channel", "decision=allow&account=nochannel_x", {}, "no YouTube channel"],
    ["another's verifier", "decision=allow", { verifier: "w".repeat(43) }, "Invalid code verifier"],
    ["no verifier", "decision=allow", { verifier: "" }, "Missing code verifier"],
    ["another redirect", "decision=allow", { redirectUri: "https://crier.test/else" }, "redirect_uri_mismatch"],
  ])("is rejected because of %s", async (_, decision, fields, message) => {
    const answer = await exchange((await decide(decision)).get("code"), fields);
    expect(answer).toMatchObject({ is: "grant_refused", hint: expect.any(String) });
    expect(JSON.stringify(answer)).toContain(message);
  });

  it("is rejected for another app, or with a wrong secret", async () => {
    const otherApp = { clientId: unique("client"), clientSecret: "first", scopes: null };
    const code = (await decide("decision=allow", otherApp)).get("code");
    expect(await exchange(code)).toMatchObject({ is: "grant_refused" });
    expect(await exchange((await decide("decision=allow", otherApp)).get("code"), {}, otherApp)).toMatchObject({
      is: "granted",
    });
    const wrong = { ...otherApp, clientSecret: "second", scopes: null };
    expect(await exchange((await decide("decision=allow", otherApp)).get("code"), {}, wrong)).toMatchObject({
      is: "grant_refused",
      networkMessage: expect.stringContaining("invalid_client"),
    });
  });

  it("is rejected without permanent access", async () => {
    const name = unique("once");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const tokens = { access_token: `ya29.${name}`, expires_in: 3_599, scope: `${UPLOAD} ${READONLY}` };
    await faultCall(simulators, { handle: `@${name}` }, "token", { do: "status", status: 200, body: tokens });
    expect(await exchange(code)).toMatchObject({ is: "grant_refused", message: expect.stringContaining("permanent") });
  });

  it.each([
    ["token", { do: "reset_before" }, { is: "retryable" }],
    ["token", { do: "status", status: 500, body: "x" }, { is: "retryable" }],
    ["channels.list", { do: "status", status: 503, body: "x" }, { is: "retryable" }],
    ["channels.list", rejection(401, "youtubeSignupRequired"), { is: "grant_refused" }],
    ["channels.list", rejection(403, "forbidden"), { is: "grant_refused" }],
  ])("ends correctly if its %s call is answered with %j: %j", async (call, answer, outcome) => {
    const name = unique("trouble");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    await faultCall(simulators, { handle: `@${name}` }, call, answer);
    expect(await exchange(code)).toMatchObject(outcome);
  });
});
