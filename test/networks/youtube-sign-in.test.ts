// Google's sign-in with its simulator: tokens that were handed over, and staying signed in.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectChannel, connectWith, faultCall, prepare, rejection, video } from "./youtube-driver.ts";

withSimulators();
const buildOAuthError = (status: number, error: string) => ({
  do: "status",
  status,
  body: { error, error_description: `about ${error}` },
});
const expireToken = async (account: string) => {
  const body = JSON.stringify({ platform: "youtube", account, expire_token: true });
  expect((await fetch(`${simulators.url}/_sim/faults`, { method: "POST", body })).status).toBe(201);
};
const revoke = (token: string) =>
  fetch(`${simulators.url}/youtube/revoke`, { method: "POST", body: new URLSearchParams({ token }) });

describe("Google tokens that were handed over", () => {
  it("lead to the channel with its permanent id, and need no person again if there is a refresh token", async () => {
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

  it("expire within the hour without a refresh token, and the channel says when", async () => {
    const before = Date.now();
    const connected = await connectWith(simulators, { access_token: `ya29.${unique("alone")}` });
    if (connected.is !== "connected") throw new Error(connected.is);
    expect(connected.tokenExpiresAt).toBeGreaterThanOrEqual(before + 3_500_000);
    expect(connected.tokenExpiresAt).toBeLessThanOrEqual(Date.now() + 3_600_000);
    expect(youtube.refreshAt?.(connected.credential)).toBeNull();
    const context = { credential: connected.credential, io: makeIO(simulators, "youtube") };
    expect(await youtube.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_expired" });
  });

  it("may include an expired access token if the refresh token can renew it", async () => {
    const name = unique("ended");
    await connectWith(simulators, { access_token: `ya29.${name}` });
    await expireToken(`@${name}`);
    const tokens = { access_token: `ya29.${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject({ field: "/access_token" });
    const connected = await connectWith(simulators, { ...tokens, refresh_token: `1//${name}` });
    expect(connected).toMatchObject({ is: "connected", handle: `@${name}` });
  });

  it("are used until they expire if they belong to another app or this deployment has no app", async () => {
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
    ["an unknown access token", () => ({ access_token: "nonsense" }), "/access_token", /expired/],
    [
      "an invalid refresh token",
      () => ({ access_token: `ya29.${unique("x")}`, refresh_token: "nonsense" }),
      "/refresh_token",
      /invalid_grant/,
    ],
    ["a missing scope", () => ({ access_token: `ya29.${unique("readonly_")}` }), "/access_token", /youtube\.upload/],
    ["no channel", () => ({ access_token: `ya29.${unique("nochannel_")}` }), "/access_token", /no YouTube channel/],
    [
      "another channel",
      () => ({ access_token: `ya29.${unique("x")}`, account_id: "UCother" }),
      "/account_id",
      /UC[\w-]{22} \(@x/,
    ],
  ])("are rejected because of %s, with the field", async (_, credentials, field, message) => {
    const answer = await connectWith(simulators, credentials());
    expect(answer).toMatchObject({ is: "credentials_refused", field, hint: expect.any(String) });
    expect(JSON.stringify(answer)).toMatch(message);
  });

  it("may be given with the id of their channel", async () => {
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
    ["token", buildOAuthError(401, "unauthorized_client"), { is: "credentials_refused", field: "/refresh_token" }],
    ["tokeninfo", { do: "status", status: 503, body: "x" }, { is: "retryable" }],
    ["channels.list", { do: "reset_before" }, { is: "retryable" }],
    ["channels.list", rejection(403, "quotaExceeded"), { is: "retryable", error: "network_quota" }],
    ["channels.list", rejection(401, "youtubeSignupRequired"), { is: "credentials_refused", field: "/access_token" }],
    ["channels.list", rejection(403, "forbidden"), { is: "credentials_refused", field: "/access_token" }],
  ])("lead to the right outcome if their %s call is answered with %j: %j", async (call, answer, outcome) => {
    const name = unique("faulty");
    await faultCall(simulators, { handle: `@${name}` }, call, answer);
    const tokens = { access_token: `ya29.${name}`, refresh_token: `1//${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject(outcome);
  });
});

describe("refreshing a Google credential", () => {
  it("is due well before the access token expires", async () => {
    const before = Date.now();
    const { context } = await connectChannel(simulators);
    const refreshAt = youtube.refreshAt?.(context.credential) ?? 0;
    // The remaining lifetime of a token is given in whole seconds.
    expect(refreshAt).toBeGreaterThanOrEqual(before + 40 * 60_000 - 1_000);
    expect(refreshAt).toBeLessThanOrEqual(Date.now() + 40 * 60_000);
  });

  it("gives a new access token, and keeps the refresh token and the channel", async () => {
    const { context, handle } = await connectChannel(simulators);
    await expireToken(handle);
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

  it("is repeated with the same token after a lost answer", async () => {
    const testChannel = await connectChannel(simulators);
    await faultCall(simulators, testChannel, "token", { do: "reset_after_accept" });
    expect(await youtube.refresh?.(testChannel.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(await youtube.refresh?.(testChannel.context)).toMatchObject({ is: "fresh" });
  });

  it("stores a new refresh token if the network issues one", async () => {
    const testChannel = await connectChannel(simulators);
    const body = { access_token: "ya29.new", expires_in: 100, refresh_token: "1//new" };
    await faultCall(simulators, testChannel, "token", { do: "status", status: 200, body });
    expect(await youtube.refresh?.(testChannel.context)).toMatchObject({
      credential: { access_token: "ya29.new", refresh_token: "1//new" },
    });
  });

  it("ends if the person has revoked the access", async () => {
    const { context } = await connectChannel(simulators);
    expect((await revoke(String(Object(context.credential).refresh_token))).status).toBe(200);
    expect(await youtube.refresh?.(context)).toMatchObject({
      is: "rejected",
      error: "token_revoked",
      networkMessage: expect.stringContaining("invalid_grant"),
    });
    expect((await prepare(video("x"), context)).answer).toMatchObject({ is: "unauthorized" });
  });

  it.each([
    ["a failing server", { do: "status", status: 502, body: "bad gateway" }],
    ["half an answer", { do: "status", status: 200, body: { access_token: "a" } }],
    ["an empty answer", { do: "status", status: 200, body: {} }],
    ["an empty token", { do: "status", status: 200, body: { access_token: "", expires_in: 3_599 } }],
    ["a wrong app", buildOAuthError(401, "invalid_client")],
    ["another app's token", buildOAuthError(401, "unauthorized_client")],
    ["a rate limit", buildOAuthError(429, "rate_limit_exceeded")],
    ["an unreadable 400", { do: "status", status: 400, body: "<h1>no</h1>" }],
  ])("keeps the credential after %s", async (_, answer) => {
    const testChannel = await connectChannel(simulators);
    await faultCall(simulators, testChannel, "token", answer);
    expect(await youtube.refresh?.(testChannel.context)).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
    });
    expect(await youtube.refresh?.(testChannel.context)).toMatchObject({ is: "fresh" });
  });

  it("is retryable while this deployment has no app", async () => {
    const { context } = await connectChannel(simulators);
    const contextWithoutApp: ConnectorContext<Json> = { ...context, io: { ...context.io, app: null } };
    expect(await youtube.refresh?.(contextWithoutApp)).toMatchObject({
      is: "retryable",
      detail: expect.stringContaining("no Google app"),
    });
  });
});

it("reveals no secret of the sign-in in any answer", async () => {
  const name = unique("quiet");
  const answers: unknown[] = [];
  for (const faultFields of [
    { do: "reset_before" },
    buildOAuthError(400, "invalid_grant"),
    { do: "status", status: 500, body: "x" },
  ]) {
    for (const call of ["token", "tokeninfo", "channels.list"]) {
      await fault(simulators, { platform: "youtube", account: `@${name}`, call, ...faultFields });
      const answer = await connectWith(simulators, { access_token: `ya29.${name}`, refresh_token: `1//${name}` });
      expect(answer.is).not.toBe("connected");
      answers.push(answer);
    }
  }
  for (const secret of ["ya29.", "1//", "sandbox"]) expect(JSON.stringify(answers)).not.toContain(secret);
});
