// Looks up the values of an account's option. The publisher makes the call, because only it renews the credential.
import { describe, expect, it } from "vitest";
import { lookUpOptions } from "../../../src/follow-up/look-up-options.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  makeTwoDeliveries,
  occupy,
  TWO_FOLLOW_UPS,
} from "./followed-delivery.ts";

const CREDENTIAL = { access_token: "t", refresh_token: null, expires_at: null, username: "ada" };
const NOT_CONNECTED = { is: "failed", error: "channel_disconnected", detail: "The channel is not connected." };
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;

/** Looks up an option of a channel on Pinterest, which gives this answer. */
async function lookUp(answer: () => Response, parts: Parts = {}, request = { option: "board", channel: "ch_1" }) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(new URL(url).pathname);
    return answer();
  };
  const followed = await followedDelivery({ platform: "pinterest", credential: CREDENTIAL, fetch, ...parts });
  const answered = await lookUpOptions(followed.tools, followed.lane, { ...request, values: { board: "5" } });
  return { calls, answer: answered, logs: followed.logs, readChannel: followed.readChannel };
}
/** Starts a lookup while other work is in progress until `end` is called. */
async function startLookup(needs: Parameters<typeof occupy>[1][]) {
  const calls: string[] = [];
  const fetch = async (url: string) => {
    calls.push(url);
    return answerBoards();
  };
  const { tools, lane } = await followedDelivery({ platform: "pinterest", credential: CREDENTIAL, fetch });
  const end = occupy(tools.limiter, ...needs);
  return { lookup: lookUpOptions(tools, lane, { option: "board", channel: "ch_1", values: {} }), calls, end };
}
const answerBoards = () => Response.json({ items: [{ id: "5", name: "Food" }], bookmark: null });

describe("a look-up", () => {
  it("a lookup lists the values that the network offers, and when they were fetched", async () => {
    const { answer, calls } = await lookUp(answerBoards);
    const options = [{ value: "5", label: "Food", description: null, disabledReason: null }];
    expect(answer).toEqual({ is: "listed", options, fetchedAt: NOW });
    expect(calls).toEqual(["/v5/boards"]);
  });

  it("a lookup of an option that depends on another sends the other option's value", async () => {
    const { calls } = await lookUp(answerBoards, {}, { option: "board_section", channel: "ch_1" });
    expect(calls).toEqual(["/v5/boards/5/sections"]);
  });

  it("a lookup fails with the reason why the network did not answer", async () => {
    const { answer } = await lookUp(() => new Response("away", { status: 503 }));
    expect(answer).toMatchObject({ is: "failed", error: "network_unavailable" });
  });

  it("a lookup whose token is refused and cannot be renewed fails as expired, and the credential is lost", async () => {
    const { answer, readChannel } = await lookUp(() =>
      Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
    );
    expect(answer).toMatchObject({ is: "failed", error: "token_expired" });
    expect((await readChannel()).credential).toBeNull();
  });

  it("a lookup with a credential that cannot be unsealed fails as misconfigured", async () => {
    const { answer, calls } = await lookUp(answerBoards, { channel: { credential: "v1.9.a.b" } });
    expect(answer).toMatchObject({ is: "failed", error: "service_misconfigured" });
    expect(calls).toEqual([]);
  });

  it("a lookup that fails on our side is reported and logged", async () => {
    const outside = { networkIO: () => expect.fail("a fault of our own") };
    const { answer, logs } = await lookUp(answerBoards, { outside });
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

  it("a lookup whose renewed token is also refused fails as revoked", async () => {
    const renewable = { ...CREDENTIAL, refresh_token: "r" };
    const answers = [
      () => Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
      () => Response.json({ access_token: "new", refresh_token: "r2", expires_in: 3_600, scope: "" }),
      () => Response.json({ code: 2, message: "Authentication failed." }, { status: 401 }),
    ];
    const { answer, calls } = await lookUp(() => answers.shift()?.() ?? expect.fail("asked too often"), {
      credential: renewable,
    });
    expect(calls).toEqual(["/v5/boards", "/v5/oauth/token", "/v5/boards"]);
    expect(answer).toMatchObject({ is: "failed", error: "token_revoked" });
  });

  it.each([
    ["other work without a promised time", TWO_FOLLOW_UPS],
    ["deliveries to its network", makeTwoDeliveries("pinterest")],
  ])("a lookup waits for a connection behind %s", async (_work, needs) => {
    const { lookup, calls, end } = await startLookup(needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    expect(await lookup).toMatchObject({ is: "listed" });
  });

  it("a lookup does not wait for uploads to other networks", async () => {
    const { lookup, end } = await startLookup(FILES);
    expect(await lookup).toMatchObject({ is: "listed" });
    await end();
  });

  it.each([
    ["of a channel without a credential", { channel: { credential: null, credentialId: "" } }, undefined],
    ["of a network that no longer exists", { platform: "myspace" }, undefined],
    ["of an option that has no look-up", {}, { option: "title", channel: "ch_1" }],
    ["of a network that has no look-ups", { platform: "x" }, undefined],
    ["of a channel that does not exist", {}, { option: "board", channel: "ch_9" }],
  ])("a lookup %s makes no call", async (_target, parts, request) => {
    const { answer, calls } = await lookUp(answerBoards, parts, request);
    expect([answer, calls]).toEqual([NOT_CONNECTED, []]);
  });
});
