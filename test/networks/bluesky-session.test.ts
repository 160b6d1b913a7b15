// Signing in to Bluesky's simulator and staying signed in, over HTTP.
import { describe, expect, it } from "vitest";
import { bluesky } from "../../src/networks/bluesky/index.ts";
import { APP_PASSWORD, fault, makeIO, signIn, unique } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

const CREATE = "com.atproto.server.createSession";
const REFRESH = "com.atproto.server.refreshSession";

const account = () => signIn(simulators);
const connectAs = (identifier: string, app_password = APP_PASSWORD) =>
  bluesky.connect({ identifier, app_password }, makeIO(simulators, "bluesky"));

const faultCall = (handle: string, call: string, faultFields: object) =>
  fault(simulators, { platform: "bluesky", account: handle, call, ...faultFields });
const answerStatus = (answerStatus: number, body: unknown, fields: object = {}) => ({
  do: "status",
  status: answerStatus,
  body,
  ...fields,
});

describe("connecting a Bluesky account", () => {
  it("drops an @, keeps the DID as the account and finds the account's own server", async () => {
    expect(await connectAs("@first.bsky.social")).toMatchObject({
      is: "connected",
      accountId: expect.stringMatching(/^did:plc:/),
      handle: "first.bsky.social",
      tokenExpiresAt: null,
      credential: {
        entryway: "https://bsky.social",
        pds: `${simulators.url}/bluesky`,
        identifier: "first.bsky.social",
      },
    });
  });

  it("returns the picture of the account's profile, and connects without one if nobody answers", async () => {
    expect(await connectAs("pictured.bsky.social")).toMatchObject({
      avatarUrl: "https://cdn.bsky.app/avatars/pictured.bsky.social.png",
    });
    await faultCall("bare.bsky.social", "app.bsky.actor.getProfile", answerStatus(502, { error: "UpstreamFailure" }));
    expect(await connectAs("bare.bsky.social")).toMatchObject({ is: "connected", avatarUrl: null });
  });

  it("asks the directory for the server if the sign-in names no usable address", async () => {
    const session = { did: "did:plc:abc", handle: "h.bsky.social", accessJwt: "a", refreshJwt: "r" };
    const didDoc = { service: [{ id: "#atproto_pds", serviceEndpoint: "file:///etc/passwd" }] };
    await faultCall("nodoc.bsky.social", CREATE, answerStatus(200, { ...session, didDoc }));
    expect(await connectAs("nodoc.bsky.social")).toMatchObject({ credential: { pds: `${simulators.url}/bluesky` } });
  });

  it.each([
    [401, "AuthFactorTokenRequired", "/app_password"],
    [401, "AuthenticationRequired", "/app_password"],
    [401, "AccountTakedown", "/identifier"],
  ])("names the field for %i %s: %s", async (code, error, field) => {
    const handle = `${unique("rejected")}.bsky.social`;
    await faultCall(handle, CREATE, answerStatus(code, { error }));
    expect(await connectAs(handle)).toMatchObject({ is: "credentials_refused", field, hint: expect.any(String) });
  });

  it("rejects the wrong password of an existing account", async () => {
    const { handle } = await account();
    expect(await connectAs(handle, "xxxx-xxxx-xxxx-xxxx")).toMatchObject({ field: "/app_password" });
  });

  it("is retryable if the network is unreachable or limits sign-ins, and says until when", async () => {
    await faultCall("away.bsky.social", CREATE, { do: "reset_before" });
    expect(await connectAs("away.bsky.social")).toMatchObject({ is: "retryable", error: "network_unavailable" });
    const before = Date.now();
    await faultCall("busy.bsky.social", CREATE, answerStatus(429, "slow down", { headers: { "retry-after": "120" } }));
    const answer = await connectAs("busy.bsky.social");
    if (answer.is !== "retryable") throw new Error(answer.is);
    expect(answer.notBefore).toBeGreaterThanOrEqual(before + 120_000);
    expect(answer.notBefore).toBeLessThanOrEqual(Date.now() + 120_000);
  });
});

describe("refreshing a Bluesky session", () => {
  it("is due well before the access token expires", async () => {
    const before = Date.now();
    const { context } = await account();
    const refreshAt = bluesky.refreshAt?.(context.credential) ?? 0;
    // Expiry times of tokens are whole seconds.
    expect(refreshAt).toBeGreaterThanOrEqual(before + 100 * 60_000 - 1_000);
    expect(refreshAt).toBeLessThanOrEqual(Date.now() + 100 * 60_000);
  });

  it("signs in again with the app password if the refresh token is invalid", async () => {
    const { handle, context } = await account();
    await faultCall(handle, REFRESH, answerStatus(400, { error: "ExpiredToken", message: "Token has been revoked" }));
    const fresh = await bluesky.refresh?.(context);
    expect(fresh).toMatchObject({ is: "fresh", credential: { handle, app_password: APP_PASSWORD } });
  });

  it.each([
    [
      "a sign-in that is refused",
      [REFRESH, 400, { error: "InvalidToken" }],
      [CREATE, 401, { error: "AuthenticationRequired" }],
      { is: "rejected", error: "token_revoked" },
    ],
    ["an unreadable 401", [REFRESH, 400, { error: "InvalidToken" }], [CREATE, 401, "<h1>no</h1>"], { is: "retryable" }],
    ["a failing server", [REFRESH, 502, "bad gateway"], null, { is: "retryable" }],
    ["half an answer", [REFRESH, 200, { accessJwt: "a" }], null, { is: "retryable" }],
    [
      "an answer for another account",
      [REFRESH, 200, { did: "did:plc:other", handle: "h", accessJwt: "a", refreshJwt: "r" }],
      null,
      { is: "retryable" },
    ],
    ["a rate limit", [REFRESH, 429, {}], null, { is: "retryable", notBefore: expect.any(Number) }],
  ] as const)("ends with the right outcome for %s", async (_, first, second, outcome) => {
    const { handle, context } = await account();
    for (const step of [first, second])
      if (step !== null) await faultCall(handle, step[0], answerStatus(step[1], step[2]));
    expect(await bluesky.refresh?.(context)).toMatchObject(outcome);
  });
});
