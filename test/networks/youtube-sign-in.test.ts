// Google's sign-in against its simulator: tokens handed over, a person's consent, and staying signed in.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { App, ConnectorContext } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { channel, connectWith, onCall, prepare, rejection, video } from "./youtube-driver.ts";

withSimulators();

const UPLOAD = "https://www.googleapis.com/auth/youtube.upload";
const READONLY = "https://www.googleapis.com/auth/youtube.readonly";
const MANAGE = "https://www.googleapis.com/auth/youtube.force-ssl";
const oauth = (status: number, error: string) => ({
  do: "status",
  status,
  body: { error, error_description: `about ${error}` },
});
const expire = async (account: string) => {
  const body = JSON.stringify({ platform: "youtube", account, expire_token: true });
  expect((await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body })).status).toBe(201);
};
const revoke = (token: string) =>
  fetch(`${simulators.url}/youtube/revoke`, { method: "POST", body: new URLSearchParams({ token }) });

describe("tokens that are handed over", () => {
  it("lead to the channel, whose id lasts; with a refresh token nobody is needed again", async () => {
    const name = unique("given");
    const connected = await connectWith(simulators, { access_token: `ya29.${name}`, refresh_token: `1//${name}` });
    expect(connected).toMatchObject({
      is: "connected",
      accountId: expect.stringMatching(/^UC[\w-]{22}$/),
      handle: `@${name}`,
      name,
      avatarUrl: expect.stringMatching(/^https:/),
      profileUrl: expect.stringMatching(/^https:\/\/www\.youtube\.com\/channel\/UC/),
      tokenExpiresAt: null,
      credential: { refresh_token: `1//${name}`, channel_id: expect.stringMatching(/^UC/) },
    });
  });

  it("without a refresh token end within the hour, and the channel says when", async () => {
    const before = Date.now();
    const connected = await connectWith(simulators, { access_token: `ya29.${unique("alone")}` });
    if (connected.is !== "connected") throw new Error(connected.is);
    expect(connected.tokenExpiresAt).toBeGreaterThan(before + 3_500_000);
    expect(connected.tokenExpiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(youtube.refreshAt?.(connected.credential)).toBeNull();
    const context = { credential: connected.credential, io: makeIO(simulators, "youtube") };
    expect(await youtube.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_expired" });
  });

  it("may hold an access token that has ended, as long as the other renews it", async () => {
    const name = unique("ended");
    await connectWith(simulators, { access_token: `ya29.${name}` });
    await expire(`@${name}`);
    const tokens = { access_token: `ya29.${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject({ field: "/access_token" });
    const connected = await connectWith(simulators, { ...tokens, refresh_token: `1//${name}` });
    expect(connected).toMatchObject({ is: "connected", handle: `@${name}` });
  });

  it("of an app that this deployment is not, or without one, are good while they last", async () => {
    const name = unique("noapp");
    const io = { ...makeIO(simulators, "youtube"), app: null };
    const connected = await youtube.connect({ access_token: `ya29.${name}`, refresh_token: `1//${name}` }, io);
    expect(connected).toMatchObject({
      is: "connected",
      tokenExpiresAt: expect.any(Number),
      credential: { refresh_token: null },
    });
  });

  it.each([
    ["an access token that nobody knows", () => ({ access_token: "nonsense" }), "/access_token", /expired/],
    [
      "a refresh token that is dead",
      () => ({ access_token: `ya29.${unique("x")}`, refresh_token: "nonsense" }),
      "/refresh_token",
      /invalid_grant/,
    ],
    ["a scope too few", () => ({ access_token: `ya29.${unique("readonly_")}` }), "/access_token", /youtube\.upload/],
    ["no channel", () => ({ access_token: `ya29.${unique("nochannel_")}` }), "/access_token", /no YouTube channel/],
    [
      "another channel",
      () => ({ access_token: `ya29.${unique("x")}`, account_id: "UCother" }),
      "/account_id",
      /UC[\w-]{22} \(@x/,
    ],
  ])("with %s are refused, by the field", async (_, credentials, field, message) => {
    expect(await connectWith(simulators, credentials())).toMatchObject({
      is: "credentials_refused",
      field,
      message: expect.stringMatching(message),
      hint: expect.any(String),
    });
  });

  it("may name the channel", async () => {
    const tokens = { access_token: `ya29.${unique("named")}` };
    const first = await connectWith(simulators, tokens);
    if (first.is !== "connected") throw new Error(first.is);
    expect(await connectWith(simulators, { ...tokens, account_id: first.accountId })).toMatchObject({
      accountId: first.accountId,
    });
  });

  it.each([
    ["token", { do: "reset_before" }, { is: "retryable" }],
    ["token", { do: "status", status: 200, body: { access_token: "half" } }, { is: "retryable" }],
    ["token", oauth(401, "unauthorized_client"), { is: "credentials_refused", field: "/refresh_token" }],
    ["tokeninfo", { do: "status", status: 503, body: "x" }, { is: "retryable" }],
    ["channels.list", { do: "reset_before" }, { is: "retryable" }],
    ["channels.list", rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    ["channels.list", rejection(401, "youtubeSignupRequired"), { is: "credentials_refused", field: "/access_token" }],
    ["channels.list", rejection(403, "forbidden"), { is: "credentials_refused", field: "/access_token" }],
  ])("whose %s call is answered with %j: %j", async (call, what, outcome) => {
    const name = unique("faulty");
    await onCall(simulators, { handle: `@${name}` }, call, what);
    const tokens = { access_token: `ya29.${name}`, refresh_token: `1//${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject(outcome);
  });
});

describe("a person's consent", () => {
  const APP: App = { clientId: "sandbox-youtube", clientSecret: "sandbox", scopes: null };
  const redirectUri = "https://crier.test/v1/oauth/callback";
  const verifier = "v".repeat(43);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const io = () => makeIO(simulators, "youtube");

  function address(app = APP): string {
    const url = new URL(youtube.consent?.address(app, { redirectUri, state: "s t&1", challenge }) ?? "");
    expect(url.origin + url.pathname).toBe("https://accounts.google.com/o/oauth2/v2/auth");
    return `${simulators.url}/youtube${url.pathname}${url.search}`;
  }
  /** What the network sends a person back with, without a browser. */
  async function decide(more: string, app = APP): Promise<URLSearchParams> {
    const answer = await fetch(`${address(app)}&${more}`, { redirect: "manual" });
    expect(answer.status).toBe(302);
    const back = new URL(answer.headers.get("location") ?? "");
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(back.searchParams.get("state")).toBe("s t&1");
    return back.searchParams;
  }
  const exchange = (code: string | null, more: object = {}, app = APP) =>
    youtube.consent?.exchange({ code: code ?? "", redirectUri, verifier, ...more }, app, io());

  it("asks for exactly what is used, for lasting access", () => {
    const query = Object.fromEntries(new URL(address()).searchParams);
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

  it("shows a person what is asked, and takes the form's answer", async () => {
    const page = await (await fetch(address())).text();
    for (const shown of [UPLOAD, READONLY, 'value="allow"', 'value="deny"', 'name="account"'])
      expect(page).toContain(shown);
    const name = unique("person");
    const form = new URLSearchParams([
      ["account", name],
      ["scope", UPLOAD],
      ["scope", READONLY],
      ["decision", "allow"],
    ]);
    const answer = await fetch(address(), { method: "POST", body: form, redirect: "manual" });
    const code = new URL(answer.headers.get("location") ?? "").searchParams.get("code");
    expect(await exchange(code)).toMatchObject({ is: "granted", accounts: [{ handle: `@${name}` }] });
  });

  it("leads to the one channel that it covers, which can post and renew itself", async () => {
    const name = unique("consent");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const granted = await exchange(code);
    expect(granted).toMatchObject({ accounts: [{ is: "connected", handle: `@${name}`, tokenExpiresAt: null }] });
    if (granted?.is !== "granted" || granted.accounts[0] === undefined) throw new Error(granted?.is);
    const context = { credential: granted.accounts[0].credential, io: io() };
    expect((await prepare(video("x"), context)).answer).toMatchObject({ is: "prepared" });
    expect(await youtube.refresh?.(context)).toMatchObject({ is: "fresh" });
    expect(await exchange(code)).toMatchObject({ is: "grant_refused", message: expect.stringContaining("Malformed") });
  });

  it("that ends by itself says when a person is needed again", async () => {
    const name = unique("testing");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const tokens = {
      access_token: `ya29.${name}`,
      expires_in: 3_599,
      refresh_token: `1//${name}`,
      scope: `${UPLOAD} ${READONLY} ${MANAGE}`,
      refresh_token_expires_in: 604_799,
    };
    await onCall(simulators, { handle: `@${name}` }, "token", { do: "status", status: 200, body: tokens });
    const granted = await exchange(code);
    if (granted?.is !== "granted") throw new Error(granted?.is);
    const days = ((granted.accounts[0]?.tokenExpiresAt ?? 0) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7);
  });

  it("that is denied comes back as that", async () => {
    expect(Object.fromEntries(await decide("decision=deny"))).toEqual({ error: "access_denied", state: "s t&1" });
  });

  it.each([
    ["a permission unticked", `decision=allow&granted=${encodeURIComponent(READONLY)}`, {}, "youtube.upload"],
    ["no channel", "decision=allow&account=nochannel_x", {}, "no YouTube channel"],
    ["another's verifier", "decision=allow", { verifier: "w".repeat(43) }, "Invalid code verifier"],
    ["no verifier", "decision=allow", { verifier: "" }, "Missing code verifier"],
    ["another redirect", "decision=allow", { redirectUri: "https://crier.test/else" }, "redirect_uri_mismatch"],
  ])("with %s is refused", async (_, decision, more, message) => {
    expect(await exchange((await decide(decision)).get("code"), more)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  it("of another app is refused, as is a wrong secret", async () => {
    const other = { clientId: unique("client"), clientSecret: "first", scopes: null };
    const code = (await decide("decision=allow", other)).get("code");
    expect(await exchange(code)).toMatchObject({ is: "grant_refused" });
    expect(await exchange((await decide("decision=allow", other)).get("code"), {}, other)).toMatchObject({
      is: "granted",
    });
    const wrong = { ...other, clientSecret: "second", scopes: null };
    expect(await exchange((await decide("decision=allow", other)).get("code"), {}, wrong)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("invalid_client"),
    });
  });

  it("without lasting access is refused", async () => {
    const name = unique("once");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    const tokens = { access_token: `ya29.${name}`, expires_in: 3_599, scope: `${UPLOAD} ${READONLY}` };
    await onCall(simulators, { handle: `@${name}` }, "token", { do: "status", status: 200, body: tokens });
    expect(await exchange(code)).toMatchObject({ is: "grant_refused", message: expect.stringContaining("lasting") });
  });

  it.each([
    ["token", { do: "reset_before" }, { is: "retryable" }],
    ["token", { do: "status", status: 500, body: "x" }, { is: "retryable" }],
    ["channels.list", { do: "status", status: 503, body: "x" }, { is: "retryable" }],
    ["channels.list", rejection(401, "youtubeSignupRequired"), { is: "grant_refused" }],
    ["channels.list", rejection(403, "forbidden"), { is: "grant_refused" }],
  ])("whose %s call is answered with %j: %j", async (call, what, outcome) => {
    const name = unique("trouble");
    const code = (await decide(`decision=allow&account=${name}`)).get("code");
    await onCall(simulators, { handle: `@${name}` }, call, what);
    expect(await exchange(code)).toMatchObject(outcome);
  });
});

describe("refreshing", () => {
  it("is due well before the access token's own end", async () => {
    const before = Date.now();
    const { context } = await channel(simulators);
    const at = youtube.refreshAt?.(context.credential) ?? 0;
    // What is left of a token is told in whole seconds.
    expect(at).toBeGreaterThan(before + 40 * 60_000 - 1_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 40 * 60_000);
  });

  it("gives a new access token, and keeps the refresh token and the channel", async () => {
    const { context, handle } = await channel(simulators);
    await expire(handle);
    expect((await prepare(video("x"), context)).answer).toMatchObject({ is: "unauthorized" });
    const fresh = await youtube.refresh?.(context);
    if (fresh?.is !== "fresh") throw new Error(fresh?.is);
    const [before, after] = [Object(context.credential), Object(fresh.credential)];
    expect(after).toMatchObject({ refresh_token: before.refresh_token, channel_id: before.channel_id });
    expect(after.access_token).not.toBe(before.access_token);
    expect((await prepare(video("x"), { ...context, credential: fresh.credential })).answer).toMatchObject({
      is: "prepared",
    });
  });

  it("whose answer was lost is made again with the same token", async () => {
    const at = await channel(simulators);
    await onCall(simulators, at, "token", { do: "reset_after_accept" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "fresh" });
  });

  it("takes a new refresh token where the network gives one", async () => {
    const at = await channel(simulators);
    const body = { access_token: "ya29.new", expires_in: 100, refresh_token: "1//new" };
    await onCall(simulators, at, "token", { do: "status", status: 200, body });
    expect(await youtube.refresh?.(at.context)).toMatchObject({
      credential: { access_token: "ya29.new", refresh_token: "1//new" },
    });
  });

  it("ends when the person has taken the access away", async () => {
    const { context } = await channel(simulators);
    expect((await revoke(String(Object(context.credential).refresh_token))).status).toBe(200);
    expect(await youtube.refresh?.(context)).toMatchObject({
      is: "rejected",
      error: "token_revoked",
      detail: expect.stringContaining("invalid_grant"),
    });
    expect((await prepare(video("x"), context)).answer).toMatchObject({ is: "unauthorized" });
  });

  it.each([
    ["a server in trouble", { do: "status", status: 502, body: "bad gateway" }],
    ["half an answer", { do: "status", status: 200, body: { access_token: "a" } }],
    ["an empty answer", { do: "status", status: 200, body: {} }],
    ["an empty token", { do: "status", status: 200, body: { access_token: "", expires_in: 3_599 } }],
    ["a wrong app", oauth(401, "invalid_client")],
    ["another app's token", oauth(401, "unauthorized_client")],
    ["a limit", oauth(429, "rate_limit_exceeded")],
    ["a 400 that nobody can read", { do: "status", status: 400, body: "<h1>no</h1>" }],
  ])("keeps the credential after %s", async (_, what) => {
    const at = await channel(simulators);
    await onCall(simulators, at, "token", what);
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "fresh" });
  });

  it("waits while this deployment has no app", async () => {
    const { context } = await channel(simulators);
    const without: ConnectorContext<Json> = { ...context, io: { ...context.io, app: null } };
    expect(await youtube.refresh?.(without)).toMatchObject({
      is: "retryable",
      detail: expect.stringContaining("no app"),
    });
  });
});

it("no secret of the sign-in appears anywhere", async () => {
  const name = unique("quiet");
  const answers: unknown[] = [];
  for (const what of [{ do: "reset_before" }, oauth(400, "invalid_grant"), { do: "status", status: 500, body: "x" }]) {
    for (const call of ["token", "tokeninfo", "channels.list"]) {
      await fault(simulators, { platform: "youtube", account: `@${name}`, call, ...what });
      const answer = await connectWith(simulators, { access_token: `ya29.${name}`, refresh_token: `1//${name}` });
      expect(answer.is).not.toBe("connected");
      answers.push(answer);
    }
  }
  for (const secret of ["ya29.", "1//", "sandbox"]) expect(JSON.stringify(answers)).not.toContain(secret);
});
