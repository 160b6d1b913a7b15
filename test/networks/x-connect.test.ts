// How an X account is connected, by tokens and by consent, and how it stays connected.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { x } from "../../src/networks/x/index.ts";
import { fault, makeIO } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";
import { account } from "./x-account.ts";

withSimulators();

describe("connecting an X account", () => {
  it("reads the profile, and needs no expiry date with a refresh token", async () => {
    const { name, connected } = await account();
    expect(connected).toMatchObject({ handle: name, accountId: expect.stringMatching(/^\d+$/), tokenExpiresAt: null });
  });

  it("names the field of an invalid token, and the missing scopes", async () => {
    const io = makeIO(simulators, "x");
    expect(await x.connect({ access_token: "nonsense" }, io)).toMatchObject({ field: "/access_token" });
    expect(await x.connect({ access_token: "access-for-few", scopes: ["tweet.read"] }, io)).toMatchObject({
      field: "/scopes",
      message: expect.stringContaining("media.write"),
    });
  });

  it("leads from a consent with PKCE to the account, and accepts a code once", async () => {
    const io = makeIO(simulators, "x");
    const app = io.app ?? expect.fail("no app");
    const flow = x.consent ?? expect.fail("no consent");
    const verifier = "v".repeat(43);
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    const redirectUri = "http://crier.test/callback";
    const { pathname, search } = new URL(flow.address(app, { redirectUri, state: "s", challenge }));
    const consent = async (extraQuery = "") => {
      const address = `${simulators.url}/x${pathname}${search}&decision=allow&account=ada${extraQuery}`;
      const answer = await fetch(address, { redirect: "manual" });
      return new URL(answer.headers.get("location") ?? "").searchParams.get("code") ?? "";
    };
    const code = await consent();
    const wrong = await consent();
    expect((await flow.exchange({ code: wrong, redirectUri, verifier: "other" }, app, io)).is).toBe("grant_refused");
    const granted = await flow.exchange({ code, redirectUri, verifier }, app, io);
    expect(granted).toMatchObject({ is: "granted", accounts: [{ handle: "@ada", tokenExpiresAt: null }] });
    expect((await flow.exchange({ code, redirectUri, verifier }, app, io)).is).toBe("grant_refused");
    const few = await consent("&scope_granted=tweet.read+users.read");
    expect(await flow.exchange({ code: few, redirectUri, verifier }, app, io)).toMatchObject({
      is: "grant_refused",
      message: expect.stringContaining("tweet.write"),
    });
  });
});

describe("renewing an X credential", () => {
  it("uses each refresh token once, and retries after a lost or incomplete answer", async () => {
    const { context } = await account();
    await fault(simulators, { platform: "x", call: "oauth2/token", do: "reset_before" });
    expect((await x.refresh?.(context))?.is).toBe("retryable");
    const half = { access_token: "a", expires_in: 7_200 };
    await fault(simulators, { platform: "x", call: "oauth2/token", do: "status", status: 200, body: half });
    expect((await x.refresh?.(context))?.is).toBe("retryable");
    const fresh = await x.refresh?.(context);
    if (fresh?.is !== "fresh") return expect.fail(JSON.stringify(fresh));
    expect(x.refreshAt?.(fresh.credential)).toBeGreaterThan(Date.now() + 60 * 60_000);
    expect(await x.refresh?.(context)).toMatchObject({ is: "rejected", error: "token_revoked" });
  });
});
