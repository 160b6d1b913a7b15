// How Instagram and Threads prepare a container, with every answer on the way.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { graphError, prepare } from "./containers.ts";
import { bindCase, CASES, MINUTE_MS } from "./meta-cases.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("preparing a container on %s", (_, network, names) => {
  const { account, fault, post, ready, listCreations, state } = bindCase(network, names);
  const getId = (publishKey: Json) => (publishKey as { id: string }).id;

  describe("after a crash", () => {
    it("continues with the existing containers at any checkpoint of a carousel", async () => {
      const connection = await account();
      const publication = await post("carousel", 3);
      const savedKeys: Json[] = [];
      const first = await prepare(network, publication, connection, null, (publishKey) => savedKeys.push(publishKey));
      expect(first).toMatchObject({ is: "prepared" });
      expect(savedKeys.length).toBeGreaterThanOrEqual(7);
      expect(listCreations(connection)).toHaveLength(4);
      for (const publishKey of savedKeys) {
        const before = listCreations(connection).length;
        expect(await prepare(network, publication, connection, publishKey)).toMatchObject({ is: "prepared" });
        const { ids } = publishKey as { ids?: string[] };
        // The missing containers are created: the other files, and the carousel itself.
        expect(listCreations(connection).length - before).toBe(ids === undefined ? 0 : 4 - ids.length);
      }
      expect(await ledger(simulators, connection.handle)).toEqual([]);
    });

    it("checks a prepared container and keeps it", async () => {
      const { connection, context, post, publishKey } = await ready("kept");
      connection.calls.length = 0;
      const again = await network.prepare(post, context, publishKey, async () => {});
      expect(again).toMatchObject({ is: "prepared", publishKey: { id: (publishKey as { id: string }).id } });
      expect(connection.calls).toHaveLength(1);
    });

    it.each(["EXPIRED", "ERROR"])("replaces a prepared container that is %s", async (status) => {
      const { connection, post, publishKey } = await ready("old");
      await fault(connection, names.container, state(status));
      const again = await prepare(network, post, connection, publishKey);
      expect(again).toMatchObject({
        is: "prepared",
        publishKey: { id: expect.not.stringContaining(getId(publishKey)) },
      });
    });

    it("keeps a container whose state cannot be read, and checks it later", async () => {
      const { connection, context, post, publishKey } = await ready("unread");
      await fault(connection, names.container, { do: "reset_before" });
      expect(await network.prepare(post, context, publishKey, async () => {})).toMatchObject({ is: "retryable" });
      await fault(connection, names.container, graphError(190, 463, {}, 401));
      expect(await network.prepare(post, context, publishKey, async () => {})).toMatchObject({ is: "unauthorized" });
    });
  });

  it("replaces a container that stays in progress, and finally gives up", async () => {
    const connection = await account();
    const publication = await post("stuck");
    await fault(connection, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    const answer = await prepare(network, publication, connection);
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
      detail: expect.stringContaining("file 1"),
    });
    expect(listCreations(connection)).toHaveLength(3);
  });

  it("checks a container often at first, then once a minute", async () => {
    const connection = await account();
    const publication = await post("slow");
    await fault(connection, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    let publishKey: Json = null;
    const waits: number[] = [];
    while (waits.length < 30) {
      const answer = await network.prepare(publication, connection.context, publishKey, async (saved) => {
        publishKey = saved;
      });
      if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Error(JSON.stringify(answer));
      waits.push(answer.retryAt - connection.context.io.now());
      connection.pass(answer.retryAt - connection.context.io.now());
    }
    expect(waits[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE_MS);
    expect(waits.at(-1)).toBeGreaterThan(MINUTE_MS - 1_000);
  });

  it("reports a requested wait even if nothing can be saved any more", async () => {
    const connection = await account();
    const publication = await post("overtaken");
    await fault(connection, names.make, graphError(4, undefined, {}, 429));
    const overtaken = () => Promise.reject(new Error("another session has written the delivery"));
    const answer = await network.prepare(publication, connection.context, null, overtaken);
    expect(answer).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
  });

  it("waits before creating anything if the daily quota is used up, and continues if the quota cannot be read", async () => {
    const connection = await account();
    const data = [{ quota_usage: 250, config: { quota_total: 250, quota_duration: 86_400 } }];
    await fault(connection, names.quota, { do: "status", status: 200, body: { data } });
    const publication = await post("full");
    const before = connection.context.io.now();
    const answer = await network.prepare(publication, connection.context, null, async () => {});
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_quota",
      isOfDay: true,
      detail: expect.stringContaining("250 of 250"),
    });
    expect(answer.is === "retryable" ? answer.notBefore : 0).toBeGreaterThanOrEqual(before + 60 * MINUTE_MS);
    expect(listCreations(connection)).toEqual([]);
    await fault(connection, names.quota, { do: "status", status: 500, body: "" });
    expect(await prepare(network, publication, connection)).toMatchObject({ is: "prepared" });
  });

  it.each(["quota", "list"] as const)("waits if the request for the %s is answered with a wait", async (call) => {
    const connection = await account();
    const waits = { do: "status", status: 429, body: {}, headers: { "retry-after": "90" } };
    await fault(connection, names[call], waits);
    const publication = await post("asked to wait");
    const askedAt = connection.context.io.now();
    const lastSaved: { publishKey: Json } = { publishKey: null };
    const answer = await prepare(network, publication, connection, null, (publishKey) =>
      Object.assign(lastSaved, { publishKey }),
    );
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota" });
    expect(answer.is === "retryable" ? (answer.notBefore ?? 0) : 0).toBeGreaterThanOrEqual(askedAt + 89_000);
    // It continues with the containers that it has already created.
    const before = listCreations(connection).length;
    expect(before).toBe(call === "quota" ? 0 : 1);
    expect(await prepare(network, publication, connection, lastSaved.publishKey)).toMatchObject({ is: "prepared" });
    expect(listCreations(connection)).toHaveLength(1);
  });

  it("respects the network's estimate of when access is regained", async () => {
    const connection = await account();
    const usage = { "1784": [{ type: "x", call_count: 100, estimated_time_to_regain_access: 42 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await fault(connection, names.make, { ...graphError(4), headers });
    const before = connection.context.io.now();
    const answer = await network.prepare(await post("limited"), connection.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota" });
    expect((answer.is === "retryable" ? (answer.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(42 * MINUTE_MS);
  });

  it("waits as long as the network asks for before a container is created again", async () => {
    const connection = await account();
    await fault(connection, names.make, { ...names.notVisible, headers: { "retry-after": "600" } });
    const before = connection.context.io.now();
    const answer = await network.prepare(await post("in ten minutes"), connection.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
    expect((answer.is === "retryable" ? (answer.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(600_000);
  });

  it("recognizes an error by its code, whatever its other fields contain", async () => {
    const connection = await account();
    const odd = { message: null, error_subcode: null, is_transient: "no", error_user_msg: 7 };
    await fault(connection, names.make, graphError(10, undefined, odd));
    const answer = await network.prepare(await post("odd"), connection.context, null, async () => {});
    expect(answer).toEqual({ is: "rejected", error: "permission_missing", networkMessage: "(10)" });
  });
});
