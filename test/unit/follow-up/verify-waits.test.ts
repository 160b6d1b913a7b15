// When the verification of published deliveries waits: for connections, for a network that asks for it, and after a failure of our own.
import { describe, expect, it } from "vitest";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { verifyDeliveries } from "../../../src/follow-up/verify-delivery.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import {
  FILES,
  followedDelivery,
  letOthersWork,
  occupy,
  TWO_FOLLOW_UPS,
  twoDeliveriesTo,
} from "./followed-delivery.ts";
import { CREDENTIAL, readPostTwo, tooMany, verifiedOnX, xWith } from "./on-x.ts";

const PAUSE = 15 * MINUTE_MS;

describe("a follow-up that fails on our side", () => {
  it("is logged, and the others of its channel are left alone for a quarter of an hour", async () => {
    const wake = () => {
      throw new Error("a fault of our own");
    };
    const { logs, key } = await verifiedOnX(
      xWith({ 77: "twice" }),
      { columns: { readback: null }, outside: { webhooks: { wake } } },
      {
        posts: ["post_1", "post_2"],
        before: ({ addWebhook }) => addWebhook("wh_1", { events: ["delivery.altered"] }),
      },
    );
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBe(NOW + PAUSE);
    const fields = { workspace: key.workspaceId, post: "post_1", channel: "ch_1", platform: "x" };
    const error = "Error: a fault of our own";
    expect(logs).toEqual([{ level: "error", event: "verify_failed", ...fields, error }]);
  });
});

describe("a follow-up that fails each time", () => {
  it("comes after the others of its channel, so it does not hold them up for good", async () => {
    const entropy = () => {
      throw new Error("a fault of our own");
    };
    const parts = { columns: { readback: null }, outside: { entropy } };
    const { key, row } = await verifiedOnX(xWith({ 77: "twice" }), parts, { posts: ["post_1", "post_2"] });
    expect(row.checkAt).toBe(NOW + PAUSE + 1);
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBe(NOW + PAUSE);
  });
});

describe("the connections of a follow-up", () => {
  const waiting = async (...needs: Parameters<typeof occupy>[1][]) => {
    const x = xWith({ 77: "once" });
    const readback = { state: "unverifiable" as const, altered: [] };
    const { tools, lane } = await followedDelivery({
      platform: "x",
      credential: CREDENTIAL,
      fetch: x.fetch,
      columns: { readback },
    });
    const end = occupy(tools.limiter, ...needs);
    return { begun: verifyDeliveries(tools, lane, { kind: "verify", channel: "ch_1", posts: ["post_1"] }), end, ...x };
  };

  it.each([
    ["what has no promised time either", TWO_FOLLOW_UPS],
    ["deliveries to its network", twoDeliveriesTo("x")],
  ])("are waited for behind %s", async (_what, needs) => {
    const { begun, calls, end } = await waiting(...needs);
    await letOthersWork();
    expect(calls).toEqual([]);
    await end();
    await begun;
    expect(calls).toHaveLength(2);
  });

  it("are free while files of others are on their way", async () => {
    const { begun, calls, end } = await waiting(...FILES);
    await begun;
    expect(calls).toHaveLength(2);
    await end();
  });
});

describe("a network that asks to wait", () => {
  it("is not asked for the rest of the channel, which is looked at then, nor by what comes later", async () => {
    const first = await verifiedOnX(
      xWith({ 77: "once" }, () => tooMany()),
      {},
      { posts: ["post_1", "post_2"] },
    );
    expect(first.calls).toEqual(["GET /2/tweets 77"]);
    expect(first.row).toMatchObject({ state: "live", checkAt: NOW + HOUR_MS });
    expect((await readPostTwo(first.key.workspaceId))?.checkAt).toBe(NOW + HOUR_MS);
    expect(first.storage.values.get("asked_wait:ch_1")).toBe(NOW + HOUR_MS);
    const later = await verifiedOnX(
      xWith({ 77: "once" }),
      {},
      {
        before: async ({ storage }) => storage.kv.put("asked_wait:ch_1", NOW + 5),
      },
    );
    expect([later.row.checkAt, later.calls]).toEqual([NOW + 5, []]);
  });

  it("leaves alone what was due when the database was read, however far its clock is ahead", async () => {
    const outside = { now: () => NOW - MINUTE_MS };
    const x = xWith({ 77: "once" }, () => tooMany());
    const { key } = await verifiedOnX(x, { outside }, { posts: ["post_1", "post_2"] });
    expect((await readPostTwo(key.workspaceId))?.checkAt).toBeGreaterThan(NOW);
  });

  it("before it renews a token is not asked until then", async () => {
    const credential = { ...CREDENTIAL, refresh_token: "r", expires_at: NOW };
    const fetch = async () => new Response("away", { status: 503, headers: { "retry-after": "7200" } });
    const { row } = await verifiedOnX({ calls: [], fetch }, { credential });
    expect(row.checkAt).toBe(NOW + 2 * HOUR_MS);
  });

  it("is asked again once the wait is over, and the wait is forgotten", async () => {
    const { calls, storage } = await verifiedOnX(
      xWith({ 77: "once" }),
      {},
      {
        before: async ({ storage: kept }) => kept.kv.put("asked_wait:ch_1", NOW),
      },
    );
    expect(calls).toHaveLength(2);
    expect(storage.values.has("asked_wait:ch_1")).toBe(false);
  });

  it("for its figures alone leaves the post verified and the rest of the channel to later", async () => {
    const x = xWith({ 77: "once" }, (call) => (call.endsWith("metrics") ? tooMany() : undefined));
    const { row, calls, key } = await verifiedOnX(x, {}, { posts: ["post_1", "post_2"] });
    expect(calls).toHaveLength(2);
    expect(row).toMatchObject({ checkedAt: NOW, checkAt: NOW + HOUR_MS });
    expect(await readPostTwo(key.workspaceId)).toMatchObject({ checkedAt: null, checkAt: NOW + HOUR_MS });
  });

  it("while publishing is left alone for a quarter of an hour at least", async () => {
    const soon = await verifiedOnX(xWith({ 77: "once" }), { channel: { notBefore: NOW + 1 } });
    expect([soon.row.checkAt, soon.calls]).toEqual([NOW + PAUSE, []]);
    const late = await verifiedOnX(xWith({ 77: "once" }), { channel: { notBefore: NOW + HOUR_MS } });
    expect(late.row.checkAt).toBe(NOW + HOUR_MS);
    expect(late.storage.values.size).toBe(0);
    expect((await verifiedOnX(xWith({ 77: "once" }), { channel: { notBefore: NOW } })).calls).toHaveLength(2);
  });
});
