// Rechecks of published deliveries wait for connections, for networks that ask for it, and after failures on our side.
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { workAfterPublish } from "../../../src/follow-up/after-publish.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  makeTwoDeliveries,
  occupy,
  SHOWN,
  TWO_FOLLOW_UPS,
} from "./followed-delivery.ts";
import { answerTooMany, COMPARED, CREDENTIAL, makeX, readPostTwo, recheckOnX } from "./on-x.ts";

const PAUSE = 15 * MINUTE_MS;

describe("a follow-up that fails on our side", () => {
  it("a failure on our side is logged, and the other posts of the channel wait for a quarter of an hour", async () => {
    const wake = () => {
      throw new Error("a fault of our own");
    };
    const { logs, key } = await recheckOnX(
      makeX({ 77: "twice" }),
      { columns: { networkPost: SHOWN }, outside: { webhooks: { wake } } },
      {
        posts: ["post_1", "post_2"],
        before: ({ addWebhook }) => addWebhook("wh_1", { events: ["delivery.altered"] }),
      },
    );
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBe(NOW + PAUSE);
    const fields = { workspace: key.workspaceId, post: "post_1", channel: "ch_1", platform: "x" };
    const error = "Error: a fault of our own";
    expect(logs).toEqual([{ level: "error", event: "follow_up_step_failed", ...fields, error }]);
  });
});

describe("a follow-up that fails each time", () => {
  it("a follow-up that fails each time comes after the others of its channel, so that it cannot block them", async () => {
    const entropy = () => {
      throw new Error("a fault of our own");
    };
    const parts = { columns: { networkPost: SHOWN }, outside: { entropy } };
    const { key, row } = await recheckOnX(makeX({ 77: "twice" }), parts, { posts: ["post_1", "post_2"] });
    expect(row.checkAt).toBe(NOW + PAUSE + 1);
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBe(NOW + PAUSE);
  });
});

describe("the connections of a follow-up", () => {
  const startRecheck = async (...needs: Parameters<typeof occupy>[1][]) => {
    const x = makeX({ 77: "once" });
    const { tools, lane } = await followedDelivery({
      platform: "x",
      credential: CREDENTIAL,
      fetch: x.fetch,
      columns: { networkPost: COMPARED },
    });
    const end = occupy(tools.limiter, ...needs);
    return {
      begun: workAfterPublish(tools, lane, { kind: "after_publish", channel: "ch_1", posts: ["post_1"] }),
      end,
      ...x,
    };
  };

  it.each([
    ["other work without a promised time", TWO_FOLLOW_UPS],
    ["deliveries to its network", makeTwoDeliveries("x")],
  ])("a recheck waits for connections behind %s", async (_work, needs) => {
    const { begun: run, calls, end } = await startRecheck(...needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    await run;
    expect(calls).toHaveLength(2);
  });

  it("a recheck does not wait for uploads to other networks", async () => {
    const { begun: run, calls, end } = await startRecheck(...FILES);
    await run;
    expect(calls).toHaveLength(2);
    await end();
  });
});

describe("a network that asks for a wait", () => {
  it("no post of a channel is rechecked until the wait that the network asks for is over", async () => {
    const first = await recheckOnX(
      makeX({ 77: "once" }, () => answerTooMany()),
      {},
      { posts: ["post_1", "post_2"] },
    );
    expect(first.calls).toEqual(["GET /2/tweets 77"]);
    expect(first.row).toMatchObject({ state: "live", checkAt: NOW + HOUR_MS });
    expect((await readPostTwo(first.key.workspaceId))?.checkAt).toBe(NOW + HOUR_MS);
    expect(first.storage.values.get("asked_wait:ch_1")).toBe(NOW + HOUR_MS);
    const later = await recheckOnX(
      makeX({ 77: "once" }),
      {},
      {
        before: async ({ storage }) => storage.kv.put("asked_wait:ch_1", NOW + 5),
      },
    );
    expect([later.row.checkAt, later.calls]).toEqual([NOW + 5, []]);
  });

  it("posts that were due by the database's clock also wait if that clock is ahead", async () => {
    const outside = { now: () => NOW - MINUTE_MS };
    const x = makeX({ 77: "once" }, () => answerTooMany());
    const { key } = await recheckOnX(x, { outside }, { posts: ["post_1", "post_2"] });
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBeGreaterThan(NOW);
  });

  it("a recheck waits as long as the network asks before it renews a token", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => new Response("away", { status: 503, headers: { "retry-after": "7200" } });
    const { row } = await recheckOnX({ calls: [], fetch }, { credential });
    expect(row.checkAt).toBe(NOW + 2 * HOUR_MS);
  });

  it("a recheck runs once the wait is over, and the wait is deleted", async () => {
    const { calls, storage } = await recheckOnX(
      makeX({ 77: "once" }),
      {},
      {
        before: async ({ storage: ownStorage }) => ownStorage.kv.put("asked_wait:ch_1", NOW),
      },
    );
    expect(calls).toHaveLength(2);
    expect(storage.values.has("asked_wait:ch_1")).toBe(false);
  });

  it("a wait that the network asks for metrics leaves the post rechecked and delays the other posts of the channel", async () => {
    const x = makeX({ 77: "once" }, (call) => (call.endsWith("metrics") ? answerTooMany() : undefined));
    const { row, calls, key } = await recheckOnX(x, {}, { posts: ["post_1", "post_2"] });
    expect(calls).toHaveLength(2);
    expect(row).toMatchObject({ networkPost: { checkedAt: NOW }, checkAt: NOW + HOUR_MS });
    expect(await readPostTwo(key.workspaceId)).toMatchObject({ networkPost: COMPARED, checkAt: NOW + HOUR_MS });
  });

  it("a wait of publishing delays rechecks for at least a quarter of an hour", async () => {
    const soon = await recheckOnX(makeX({ 77: "once" }), { channel: { notBefore: NOW + 1 } });
    expect([soon.row.checkAt, soon.calls]).toEqual([NOW + PAUSE, []]);
    const late = await recheckOnX(makeX({ 77: "once" }), { channel: { notBefore: NOW + HOUR_MS } });
    expect(late.row.checkAt).toBe(NOW + HOUR_MS);
    expect(late.storage.values.size).toBe(0);
    expect((await recheckOnX(makeX({ 77: "once" }), { channel: { notBefore: NOW } })).calls).toHaveLength(2);
  });
});
