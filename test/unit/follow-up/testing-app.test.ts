// Google renews the credential of an app in testing for one week only.
import { afterEach, expect, it, vi } from "vitest";
import { channelState } from "../../../src/domain/channel.ts";
import { FAILURES } from "../../../src/domain/delivery/failure.ts";
import { DAY_MS } from "../../../src/domain/limits.ts";
import { renewCredential } from "../../../src/follow-up/renew-credential.ts";
import { ACCESS } from "../../../src/networks/youtube/access.ts";
import { unique } from "../../networks/network-io.ts";
import { simulators, withSimulators } from "../../networks/simulators.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery } from "./followed-delivery.ts";

withSimulators();
afterEach(() => {
  vi.useRealTimers();
});

const askGoogle = (url: string, init?: RequestInit) => fetch(`${simulators.url}/youtube${new URL(url).pathname}`, init);

/** Renews a credential whose refresh token is a week old, and returns the channel's state. */
async function renewAfterWeek(account: string) {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW - 7 * DAY_MS });
  const refresh_token = `1//${account}`;
  const first = { grant_type: "refresh_token", refresh_token, client_id: "test", client_secret: "test" };
  const answer = await askGoogle("https://oauth2.googleapis.com/token", {
    method: "POST",
    body: new URLSearchParams(first),
  });
  expect(answer.status).toBe(200);
  vi.setSystemTime(NOW);
  const credential = { access_token: "old", refresh_token, expires_at: NOW, channel_id: "UC1" };
  const channel = { renewAt: NOW, tokenExpiresAt: null };
  const followed = await followedDelivery({ platform: "youtube", credential, channel, fetch: askGoogle });
  await renewCredential(followed.tools, followed.lane, "ch_1");
  const after = await followed.readChannel();
  const { tokenExpiresAt, lostReason } = after;
  return {
    lostReason,
    state: channelState({ hasCredential: after.credential !== null, tokenExpiresAt, lostReason }, NOW),
  };
}

it("a channel of an app in testing must be connected again after a week, for the documented reason", async () => {
  expect(await renewAfterWeek(unique("testing_"))).toEqual({ lostReason: "token_revoked", state: "needs_reconnect" });
  expect(ACCESS.problems.production.sign).toContain("`token_revoked`");
  expect(FAILURES.token_revoked).toMatchObject({
    action: "reconnect_required",
    hint: expect.stringContaining("Connect the channel again"),
  });
});

it("a channel of an app in production stays connected after a week", async () => {
  expect(await renewAfterWeek(unique("production_"))).toEqual({ lostReason: null, state: "connected" });
});
