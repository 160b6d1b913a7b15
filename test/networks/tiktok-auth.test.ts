// TikTok's tokens: handed over, granted by a person, and renewed.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import type { NetworkIO } from "../../src/networks/network.ts";
import { tiktok } from "../../src/networks/tiktok/index.ts";
import { unique } from "./network-io.ts";
import { withSimulators } from "./simulators.ts";
import {
  buildAnswer,
  connectChannel,
  expireToken,
  faultCall,
  io,
  later,
  post,
  publishOnce,
  toSimulatorUrl,
  video,
  waitUntilProcessed,
} from "./tiktok/support.ts";

withSimulators();

const connect = (input: object, networkIO: NetworkIO = io()) => tiktok.connect({ ...input } as Json, networkIO);
const HOUR_MS = 3_600_000;
const APP = { clientId: "sandbox-tiktok", clientSecret: "sandbox", scopes: null };
const REDIRECT = "https://crier.test/v1/oauth/tiktok/callback";

describe("connecting TikTok with tokens that were handed over", () => {
  it("keeps the permanent id, and renews itself if possible", async () => {
    const username = unique("handed_");
    const expires_at = "2027-01-01T00:00:00Z";
    const tokens = { access_token: `act.${username}`, refresh_token: `rft.${username}`, expires_at };
    const connected = await connect(tokens);
    expect(connected).toEqual({
      is: "connected",
      accountId: expect.stringMatching(/^-000/),
      handle: `@${username}`,
      name: `The ${username}`,
      avatarUrl: expect.stringMatching(/^https:/),
      profileUrl: `https://www.tiktok.com/@${username}`,
      credential: {
        open_id: expect.stringMatching(/^-000/),
        access_token: `act.${username}`,
        refresh_token: `rft.${username}`,
        expires_at: Date.parse(expires_at),
      },
      tokenExpiresAt: null,
      missingPermissions: [],
    });
    if (connected.is !== "connected") throw new Error(connected.is);
    expect(await connect({ ...tokens, account_id: connected.accountId })).toMatchObject({ is: "connected" });
  });

  it("needs a person when the token expires if it cannot be renewed", async () => {
    const expires_at = "2027-01-01T00:00:00.000Z";
    const access_token = `act.${unique("alone_")}`;
    const alone = { tokenExpiresAt: Date.parse(expires_at), credential: { refresh_token: null } };
    expect(await connect({ access_token, expires_at })).toMatchObject(alone);
    const withoutApp = { ...io(), app: null };
    expect(await connect({ access_token, refresh_token: "rft.x1", expires_at }, withoutApp)).toMatchObject(alone);
    const before = Date.now();
    const unknown = await connect({ access_token });
    if (unknown.is !== "connected") throw new Error(unknown.is);
    expect(unknown.tokenExpiresAt).toBeGreaterThanOrEqual(before + 2 * HOUR_MS);
    expect(unknown.tokenExpiresAt).toBeLessThanOrEqual(Date.now() + 2 * HOUR_MS);
  });

  it.each([
    ["nonsense", {}, "/access_token", "rejects this token"],
    ["act.lacks1~user.info.basic,video.list", {}, "/access_token", "lacks video.publish."],
    ["act.lacks2~video.publish", {}, "/access_token", "lacks user.info.basic."],
    ["act.lacks3", { scopes: ["video.publish"] }, "/access_token", "lacks user.info.basic."],
    ["act.other", { account_id: "-000other" }, "/account_id", "belongs to another account: -000"],
  ])("names the wrong field for %s %j", async (access_token, fields, field, message) => {
    expect(await connect({ access_token, ...fields })).toMatchObject({
      is: "credentials_refused",
      field,
      message: expect.stringContaining(message),
      hint: expect.any(String),
    });
  });

  it("accepts an account at its cap, and rejects a banned account", async () => {
    const username = unique("capped_");
    const call = "post/publish/creator_info/query";
    await faultCall(username, call, buildAnswer(200, "spam_risk_too_many_posts"));
    expect(await connect({ access_token: `act.${username}` })).toMatchObject({
      is: "connected",
      handle: `The ${username}`,
      profileUrl: null,
    });
    await faultCall(username, call, buildAnswer(200, "spam_risk_user_banned_from_posting"));
    expect(await connect({ access_token: `act.${username}` })).toMatchObject({
      is: "credentials_refused",
      networkMessage: expect.stringContaining("spam_risk_user_banned_from_posting"),
    });
  });

  it.each(["user/info", "post/publish/creator_info/query", "video/list"])(
    "is retryable if %s does not answer",
    async (call) => {
      const username = unique("away_");
      await faultCall(username, call, { do: "reset_before" });
      expect(await connect({ access_token: `act.${username}` })).toMatchObject({
        is: "retryable",
        error: "network_unavailable",
      });
      await faultCall(username, call, buildAnswer(429, "rate_limit_exceeded"));
      expect(await connect({ access_token: `act.${username}` })).toMatchObject({
        is: "retryable",
        error: "network_quota",
      });
    },
  );
});

describe("a person's consent at TikTok", () => {
  /** Decides as the person would, and returns the query of the redirect. */
  async function decide(decision: object): Promise<URLSearchParams> {
    const request = { redirectUri: REDIRECT, state: "st-1", challenge: "unused" };
    const page = new URL(tiktok.consent?.address(APP, request) ?? "");
    expect(page.origin + page.pathname).toBe("https://www.tiktok.com/v2/auth/authorize/");
    expect(Object.fromEntries(page.searchParams)).toEqual({
      client_key: APP.clientId,
      scope: "user.info.basic,video.publish",
      response_type: "code",
      redirect_uri: REDIRECT,
      state: "st-1",
    });
    const consentPage = await fetch(toSimulatorUrl(page));
    expect([consentPage.status, await consentPage.text()]).toEqual([200, expect.stringContaining("video.publish")]);
    for (const [name, value] of Object.entries(decision)) page.searchParams.set(name, value);
    const back = await fetch(toSimulatorUrl(page), { redirect: "manual" });
    expect(back.status).toBe(302);
    const target = new URL(back.headers.get("location") ?? "");
    expect(`${target.origin}${target.pathname}`).toBe(REDIRECT);
    expect(target.searchParams.get("state")).toBe("st-1");
    return target.searchParams;
  }
  const exchange = (code: string, networkIO: NetworkIO = io()) =>
    tiktok.consent?.exchange({ code, redirectUri: REDIRECT, verifier: "unused" }, APP, networkIO);
  const allow = async (account: string, choices: object = {}) =>
    (await decide({ decision: "allow", account, ...choices })).get("code") ?? "";

  it("leads to the account, with tokens that can publish", async () => {
    const account = unique("granted_");
    const granted = await exchange(await allow(account));
    if (granted?.is !== "granted") throw new Error(JSON.stringify(granted));
    expect(granted.accounts).toMatchObject([{ is: "connected", handle: `@${account}`, tokenExpiresAt: null }]);
    const context = { credential: granted.accounts[0]?.credential ?? null, io: io() };
    const { publishOutcome } = await publishOnce(post("mine", [video()]), context);
    if (publishOutcome?.is !== "processing") throw new Error(publishOutcome?.is);
    expect(await waitUntilProcessed(publishOutcome.publishKey, context)).toMatchObject({ is: "live" });
    expect(tiktok.refreshAt?.(context.credential)).toBeGreaterThan(Date.now());
  });

  it("is rejected with the permission's name if one was deselected", async () => {
    const code = await allow(unique("partly_"), { granted: "user.info.basic,video.list" });
    expect(await exchange(code)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("video.publish"),
      hint: expect.any(String),
    });
  });

  it("returns access_denied if it is denied", async () => {
    const query = await decide({ decision: "deny" });
    expect([query.get("error"), query.get("code")]).toEqual(["access_denied", null]);
  });

  it("has a code that can be used once", async () => {
    const code = await allow(unique("once_"));
    expect(await exchange(code)).toMatchObject({ is: "granted" });
    expect(await exchange(code)).toMatchObject({
      is: "grant_refused",
      networkMessage: expect.stringContaining("expired"),
    });
    expect(await exchange("never")).toMatchObject({ is: "grant_refused" });
  });

  it("is retryable while the network does not answer", async () => {
    const account = unique("later_");
    const code = await allow(account);
    // The exchange of a code does not name the account, so the fault applies to any account.
    await faultCall(undefined, "oauth/token", { do: "reset_before" });
    expect(await exchange(code)).toMatchObject({ is: "retryable" });
    await faultCall(account, "user/info", { do: "status", status: 502, body: "<h1>Bad Gateway</h1>" });
    expect(await exchange(code)).toMatchObject({ is: "retryable" });
  });
});

describe("renewing a TikTok credential", () => {
  const refresh = async (context: { credential: Json; io: NetworkIO }) =>
    (await tiktok.refresh?.(context)) ?? expect.fail("it cannot renew");

  it("is due an hour before the expiry, and gives a complete pair that works", async () => {
    const { username, context } = await connectChannel("fresh");
    const { expires_at } = context.credential as { expires_at: number };
    expect(tiktok.refreshAt?.(context.credential)).toBe(expires_at - HOUR_MS);
    await expireToken(username);
    const x = post("x", [video()]);
    expect((await publishOnce(x, context)).prepared).toMatchObject({ is: "unauthorized" });
    const fresh = await refresh(context);
    if (fresh.is !== "fresh") throw new Error(JSON.stringify(fresh));
    expect((await publishOnce(x, { ...context, credential: fresh.credential })).publishOutcome).toMatchObject({
      is: "processing",
    });
    expect(fresh.credential).toMatchObject({ open_id: (context.credential as { open_id: string }).open_id });
    expect(await refresh({ ...context, credential: fresh.credential })).toMatchObject({ is: "fresh" });
    // A refresh token becomes invalid after its exchange.
    expect(await refresh(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it.each([
    ["no answer", { do: "reset_before" }],
    ["a server's error", { do: "status", status: 503, body: "" }],
    ["a server's error in the form of OAuth", { do: "status", status: 500, body: { error: "invalid_grant" } }],
    ["an empty answer", { do: "status", status: 200, body: {} }],
    ["half an answer", { do: "status", status: 200, body: { access_token: "act.x", expires_in: 7_200, open_id: "y" } }],
    ["a rejection of our app", { do: "status", status: 400, body: { error: "invalid_client", error_description: "" } }],
  ])("keeps the old pair after %s", async (_, answer) => {
    const { username, context } = await connectChannel("kept");
    await faultCall(username, "oauth/token", answer);
    expect(await refresh(context)).toMatchObject({ is: "retryable", error: "network_unavailable" });
    expect(await refresh(context)).toMatchObject({ is: "fresh" });
  });

  it("never accepts the tokens of another account", async () => {
    const { username, context } = await connectChannel("mine");
    const tokens = { access_token: "act.x", refresh_token: "rft.x", expires_in: 7_200, open_id: "-000x", scope: "" };
    await faultCall(username, "oauth/token", { do: "status", status: 200, body: tokens });
    expect(await refresh(context)).toMatchObject({ is: "retryable" });
  });

  it("is tried once more after a lost answer, and then needs a person", async () => {
    const { username, context } = await connectChannel("lost");
    await faultCall(username, "oauth/token", { do: "reset_after_accept" });
    expect(await refresh(context)).toMatchObject({ is: "retryable" });
    expect(await refresh(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });

  it("is not possible without a refresh token or an app, so the channel ends with its token", async () => {
    const { context } = await connectChannel("ends");
    const alone = { ...(context.credential as object), refresh_token: null };
    expect(tiktok.refreshAt?.(alone)).toBeNull();
    expect(await refresh({ ...context, credential: alone })).toMatchObject({ is: "rejected", error: "token_expired" });
    const withoutApp = { ...context, io: { ...context.io, app: null } };
    expect(await refresh(withoutApp)).toMatchObject({ is: "rejected", error: "token_expired" });
    expect(await refresh(later(context, HOUR_MS))).toMatchObject({ is: "fresh" });
  });
});
