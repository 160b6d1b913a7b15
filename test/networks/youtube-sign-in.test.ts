// Google's sign-in against its simulator: tokens handed over, and staying signed in.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { ConnectorContext } from "../../src/networks/network.ts";
import { youtube } from "../../src/networks/youtube/index.ts";
import { fault, makeIO, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { connectChannel, connectWith, faultCall, prepare, rejection, video } from "./youtube-driver.ts";

withSimulators();
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
    expect(connected.tokenExpiresAt).toBeGreaterThanOrEqual(before + 3_500_000);
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
    const answer = await connectWith(simulators, credentials());
    expect(answer).toMatchObject({ is: "credentials_refused", field, hint: expect.any(String) });
    expect(JSON.stringify(answer)).toMatch(message);
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
    await faultCall(simulators, { handle: `@${name}` }, call, what);
    const tokens = { access_token: `ya29.${name}`, refresh_token: `1//${name}` };
    expect(await connectWith(simulators, tokens)).toMatchObject(outcome);
  });
});

describe("refreshing", () => {
  it("is due well before the access token's own end", async () => {
    const before = Date.now();
    const { context } = await connectChannel(simulators);
    const at = youtube.refreshAt?.(context.credential) ?? 0;
    // What is left of a token is told in whole seconds.
    expect(at).toBeGreaterThanOrEqual(before + 40 * 60_000 - 1_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 40 * 60_000);
  });

  it("gives a new access token, and keeps the refresh token and the channel", async () => {
    const { context, handle } = await connectChannel(simulators);
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
    const at = await connectChannel(simulators);
    await faultCall(simulators, at, "token", { do: "reset_after_accept" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "fresh" });
  });

  it("takes a new refresh token where the network gives one", async () => {
    const at = await connectChannel(simulators);
    const body = { access_token: "ya29.new", expires_in: 100, refresh_token: "1//new" };
    await faultCall(simulators, at, "token", { do: "status", status: 200, body });
    expect(await youtube.refresh?.(at.context)).toMatchObject({
      credential: { access_token: "ya29.new", refresh_token: "1//new" },
    });
  });

  it("ends when the person has taken the access away", async () => {
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
    ["a server in trouble", { do: "status", status: 502, body: "bad gateway" }],
    ["half an answer", { do: "status", status: 200, body: { access_token: "a" } }],
    ["an empty answer", { do: "status", status: 200, body: {} }],
    ["an empty token", { do: "status", status: 200, body: { access_token: "", expires_in: 3_599 } }],
    ["a wrong app", oauth(401, "invalid_client")],
    ["another app's token", oauth(401, "unauthorized_client")],
    ["a limit", oauth(429, "rate_limit_exceeded")],
    ["a 400 that nobody can read", { do: "status", status: 400, body: "<h1>no</h1>" }],
  ])("keeps the credential after %s", async (_, what) => {
    const at = await connectChannel(simulators);
    await faultCall(simulators, at, "token", what);
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(await youtube.refresh?.(at.context)).toMatchObject({ is: "fresh" });
  });

  it("waits while this deployment has no app", async () => {
    const { context } = await connectChannel(simulators);
    const without: ConnectorContext<Json> = { ...context, io: { ...context.io, app: null } };
    expect(await youtube.refresh?.(without)).toMatchObject({
      is: "retryable",
      detail: expect.stringContaining("no Google app"),
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
