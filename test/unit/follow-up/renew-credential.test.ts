// The credential of a channel that publishes nothing is renewed when it is due, and later if the renewal fails.
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { renewCredential } from "../../../src/follow-up/renew-credential.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  makeTwoDeliveries,
  occupy,
  TWO_FOLLOW_UPS,
} from "./followed-delivery.ts";
import { CREDENTIAL } from "./on-x.ts";

const AGAIN_AT = NOW + 30 * MINUTE_MS;
const RENEWABLE = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW + HOUR_MS };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Renews the credential of a channel on X, whose token endpoint gives this answer. */
async function renew(answer: () => Response, parts: Parts = {}) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(new URL(url).pathname);
    return answer();
  };
  const followed = await followedDelivery({
    platform: "x",
    credential: RENEWABLE,
    fetch,
    ...parts,
    channel: { renewAt: NOW, ...parts.channel },
  });
  await renewCredential(followed.tools, followed.lane, "ch_1");
  return { calls, channel: await followed.readChannel() };
}
const answerTokens = () =>
  Response.json({ token_type: "bearer", access_token: "new", refresh_token: "r2", expires_in: 7_200, scope: "" });
const answerAway = (headers = {}) => new Response("away", { status: 503, headers });

describe("a credential that is due", () => {
  it("a credential that is due is renewed, and stores the time of its next renewal", async () => {
    const { calls, channel } = await renew(answerTokens);
    expect(calls).toEqual(["/2/oauth2/token"]);
    expect(channel.credentialId).not.toBe("old");
    expect(channel.renewAt).toBeGreaterThan(AGAIN_AT);
  });

  it("a renewal is retried after half an hour if the network is unavailable", async () => {
    const { channel } = await renew(answerAway);
    expect(channel).toMatchObject({ credentialId: "old", renewAt: AGAIN_AT });
  });

  it("a renewal is not retried before the network allows it", async () => {
    const { channel } = await renew(() => answerAway({ "retry-after": "7200" }));
    expect(channel).toMatchObject({ credentialId: "old", renewAt: NOW + 2 * HOUR_MS });
  });

  it("a credential is lost if its network refuses to renew it", async () => {
    const { channel } = await renew(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
    expect(channel).toMatchObject({ credential: null, renewAt: null });
  });

  it("a credential that cannot be unsealed is retried later, without a call of the network", async () => {
    const { calls, channel } = await renew(answerTokens, { channel: { credential: "v1.9.a.b" } });
    expect([calls, channel.renewAt]).toEqual([[], AGAIN_AT]);
  });
});

describe("a renewal", () => {
  /** Starts a renewal while other work is in progress until `end` is called. */
  async function startRenewal(needs: Parameters<typeof occupy>[1][]) {
    const calls: string[] = [];
    const fetch = async (url: string) => {
      calls.push(url);
      return answerTokens();
    };
    const channel = { renewAt: NOW };
    const { tools, lane } = await followedDelivery({ platform: "x", credential: RENEWABLE, fetch, channel });
    const end = occupy(tools.limiter, ...needs);
    return { renewal: renewCredential(tools, lane, "ch_1"), calls, end };
  }

  it.each([
    ["other work without a promised time", TWO_FOLLOW_UPS],
    ["deliveries to its network", makeTwoDeliveries("x")],
  ])("a renewal waits for a connection behind %s", async (_work, needs) => {
    const { renewal, calls, end } = await startRenewal(needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    await renewal;
    expect(calls).toHaveLength(1);
  });

  it("a renewal does not wait for uploads to other networks", async () => {
    const { renewal, calls, end } = await startRenewal(FILES);
    await renewal;
    expect(calls).toHaveLength(1);
    await end();
  });
});

describe("a credential that is not due", () => {
  it.each([
    ["is due later", { renewAt: NOW + 1 }],
    ["is never renewed", { renewAt: null }],
    ["belongs to a network that no longer exists", { platform: "myspace" }],
  ])("a credential that %s is not renewed", async (_reason, channel) => {
    const { calls, channel: after } = await renew(answerTokens, { channel });
    expect([calls, after.credentialId]).toEqual([[], "old"]);
    expect(after).toMatchObject(channel);
  });
});
