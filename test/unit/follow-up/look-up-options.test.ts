// What a network offers for an option of an account, asked by the publisher that alone renews its credential.
import { describe, expect, it } from "vitest";
import { lookUpOptions } from "../../../src/follow-up/look-up-options.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  occupy,
  TWO_FOLLOW_UPS,
  twoDeliveriesTo,
} from "./followed-delivery.ts";

const CREDENTIAL = { access_token: "t", refresh_token: null, expires_at: null, username: "ada" };
const NOT_CONNECTED = { is: "failed", error: "channel_disconnected", detail: "The channel is not connected." };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Looks up an option of a channel of Pinterest that answers so. */
async function lookedUp(answer: () => Response, parts: Parts = {}, request = { option: "board", channel: "ch_1" }) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(new URL(url).pathname);
    return answer();
  };
  const followed = await followedDelivery({ platform: "pinterest", credential: CREDENTIAL, fetch, ...parts });
  const answered = await lookUpOptions(followed.tools, followed.lane, { ...request, values: { board: "5" } });
  return { calls, answer: answered, logs: followed.logs, readChannel: followed.readChannel };
}
/** Begins a look-up while other work is under way, which ends with `end`. */
async function lookingUp(needs: Parameters<typeof occupy>[1][]) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(url);
    return boards();
  };
  const { tools, lane } = await followedDelivery({ platform: "pinterest", credential: CREDENTIAL, fetch });
  const end = occupy(tools.limiter, ...needs);
  return { begun: lookUpOptions(tools, lane, { option: "board", channel: "ch_1", values: {} }), calls, end };
}
const boards = () => Response.json({ items: [{ id: "5", name: "Food" }], bookmark: null });

describe("a look-up", () => {
  it("lists what the network offers, and when it was asked", async () => {
    const { answer, calls } = await lookedUp(boards);
    const options = [{ value: "5", label: "Food", description: null, disabledReason: null }];
    expect(answer).toEqual({ is: "listed", options, fetchedAt: NOW });
    expect(calls).toEqual(["/v5/boards"]);
  });

  it("of an option that depends on another asks with its value", async () => {
    const { calls } = await lookedUp(boards, {}, { option: "board_section", channel: "ch_1" });
    expect(calls).toEqual(["/v5/boards/5/sections"]);
  });

  it("says why a network did not answer", async () => {
    const { answer } = await lookedUp(() => new Response("away", { status: 503 }));
    expect(answer).toMatchObject({ is: "failed", error: "network_unavailable" });
  });

  it("whose token is refused and cannot be renewed says that it has expired, and the credential is lost", async () => {
    const { answer, readChannel } = await lookedUp(() =>
      Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
    );
    expect(answer).toMatchObject({ is: "failed", error: "token_expired" });
    expect((await readChannel()).credential).toBeNull();
  });

  it("of a credential that cannot be unsealed says so", async () => {
    const { answer, calls } = await lookedUp(boards, { channel: { credential: "v1.9.a.b" } });
    expect(answer).toMatchObject({ is: "failed", error: "service_misconfigured" });
    expect(calls).toEqual([]);
  });

  it("that fails on our side says so, and is logged", async () => {
    const outside = { networkIO: () => expect.fail("a fault of our own") };
    const { answer, logs } = await lookedUp(boards, { outside });
    expect(answer).toEqual({
      is: "failed",
      error: "internal_error",
      detail: "Asking the network failed on our side.",
    });
    expect(logs).toMatchObject([
      {
        level: "error",
        event: "look_up_failed",
        workspace: expect.stringMatching(/^ws_/),
        channel: "ch_1",
        platform: "pinterest",
        error: expect.stringContaining("a fault of our own"),
      },
    ]);
  });

  it("whose renewed token is refused too says that access was revoked", async () => {
    const renewable = { ...CREDENTIAL, refresh_token: "r" };
    const answers = [
      () => Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
      () => Response.json({ access_token: "new", refresh_token: "r2", expires_in: 3_600, scope: "" }),
      () => Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
    ];
    const { answer, calls } = await lookedUp(() => answers.shift()?.() ?? expect.fail("asked too often"), {
      credential: renewable,
    });
    expect(calls).toEqual(["/v5/boards", "/v5/oauth/token", "/v5/boards"]);
    expect(answer).toMatchObject({ is: "failed", error: "token_revoked" });
  });

  it.each([
    ["what has no promised time either", TWO_FOLLOW_UPS],
    ["deliveries to its network", twoDeliveriesTo("pinterest")],
  ])("waits for a connection behind %s", async (_what, needs) => {
    const { begun, calls, end } = await lookingUp(needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    expect(await begun).toMatchObject({ is: "listed" });
  });

  it("goes ahead while files of others are on their way", async () => {
    const { begun, end } = await lookingUp(FILES);
    expect(await begun).toMatchObject({ is: "listed" });
    await end();
  });

  it.each([
    ["of a channel without a credential", { channel: { credential: null, credentialId: "" } }, undefined],
    ["of a network that is gone", { platform: "myspace" }, undefined],
    ["of an option that has no look-up", {}, { option: "title", channel: "ch_1" }],
    ["of a network that has no look-ups", { platform: "x" }, undefined],
    ["of a channel that is not there", {}, { option: "board", channel: "ch_9" }],
  ])("%s asks nobody", async (_what, parts, request) => {
    const { answer, calls } = await lookedUp(boards, parts, request);
    expect([answer, calls]).toEqual([NOT_CONNECTED, []]);
  });
});
