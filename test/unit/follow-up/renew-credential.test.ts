// The credential of a channel that publishes nothing is renewed when its time comes, and put off where that does not work out.
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { renewCredential } from "../../../src/follow-up/renew-credential.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  occupy,
  TWO_FOLLOW_UPS,
  twoDeliveriesTo,
} from "./followed-delivery.ts";
import { CREDENTIAL } from "./on-x.ts";

const AGAIN_AT = NOW + 30 * MINUTE_MS;
const RENEWABLE = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW + HOUR_MS };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Renews the credential of a channel of X, whose token address answers so. */
async function renewed(answer: () => Response, parts: Parts = {}) {
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
const tokens = () =>
  Response.json({ token_type: "bearer", access_token: "new", refresh_token: "r2", expires_in: 7_200, scope: "" });
const away = (headers = {}) => new Response("away", { status: 503, headers });

describe("a credential whose time has come", () => {
  it("is renewed, and has the time of its next renewal", async () => {
    const { calls, channel } = await renewed(tokens);
    expect(calls).toEqual(["/2/oauth2/token"]);
    expect(channel.credentialId).not.toBe("old");
    expect(channel.renewAt).toBeGreaterThan(AGAIN_AT);
  });

  it("is tried again in half an hour after an answer that says nothing", async () => {
    const { channel } = await renewed(away);
    expect(channel).toMatchObject({ credentialId: "old", renewAt: AGAIN_AT });
  });

  it("is tried again no sooner than its network asks", async () => {
    const { channel } = await renewed(() => away({ "retry-after": "7200" }));
    expect(channel).toMatchObject({ credentialId: "old", renewAt: NOW + 2 * HOUR_MS });
  });

  it("is given up when its network says so", async () => {
    const { channel } = await renewed(() => Response.json({ error: "invalid_grant" }, { status: 400 }));
    expect(channel).toMatchObject({ credential: null, renewAt: null });
  });

  it("is tried again where it cannot be unsealed, and its network is not asked", async () => {
    const { calls, channel } = await renewed(tokens, { channel: { credential: "v1.9.a.b" } });
    expect([calls, channel.renewAt]).toEqual([[], AGAIN_AT]);
  });
});

describe("a renewal", () => {
  /** Begins one while other work is under way, which ends with `end`. */
  async function renewing(needs: Parameters<typeof occupy>[1][]) {
    const calls: string[] = [];
    const fetch = async (url: string) => {
      calls.push(url);
      return tokens();
    };
    const channel = { renewAt: NOW };
    const { tools, lane } = await followedDelivery({ platform: "x", credential: RENEWABLE, fetch, channel });
    const end = occupy(tools.limiter, ...needs);
    return { begun: renewCredential(tools, lane, "ch_1"), calls, end };
  }

  it.each([
    ["what has no promised time either", TWO_FOLLOW_UPS],
    ["deliveries to its network", twoDeliveriesTo("x")],
  ])("waits for a connection behind %s", async (_what, needs) => {
    const { begun, calls, end } = await renewing(needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    await begun;
    expect(calls).toHaveLength(1);
  });

  it("goes ahead while files of others are on their way", async () => {
    const { begun, calls, end } = await renewing(FILES);
    await begun;
    expect(calls).toHaveLength(1);
    await end();
  });
});

describe("a credential whose time has not come", () => {
  it.each([
    ["is due later", { renewAt: NOW + 1 }],
    ["is never renewed", { renewAt: null }],
    ["is of a network that is gone", { platform: "myspace" }],
  ])("because it %s is left alone", async (_why, channel) => {
    const { calls, channel: after } = await renewed(tokens, { channel });
    expect([calls, after.credentialId]).toEqual([[], "old"]);
    expect(after).toMatchObject(channel);
  });
});
