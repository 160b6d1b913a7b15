// How Instagram and Threads make a container ready, whatever they answer meanwhile.
import { describe, expect, it } from "vitest";
import type { Json } from "../../src/domain/json.ts";
import { graphError, prepare } from "./containers.ts";
import { CASES, doing, MINUTE_MS } from "./meta-cases.ts";
import { ledger } from "./network-io.ts";
import { simulators, withSimulators } from "./simulators.ts";

withSimulators();

describe.each(CASES)("%s", (_, network, names) => {
  const { account, fault, post, ready, made, state } = doing(network, names);
  const idOf = (publishKey: Json) => (publishKey as { id: string }).id;

  describe("after a crash", () => {
    it("at any checkpoint of a carousel it goes on with the containers that it has", async () => {
      const signed = await account();
      const publication = await post("carousel", 3);
      const saved: Json[] = [];
      const first = await prepare(network, publication, signed, null, (publishKey) => saved.push(publishKey));
      expect(first).toMatchObject({ is: "prepared" });
      expect(saved.length).toBeGreaterThanOrEqual(7);
      expect(made(signed)).toHaveLength(4);
      for (const publishKey of saved) {
        const before = made(signed).length;
        expect(await prepare(network, publication, signed, publishKey)).toMatchObject({ is: "prepared" });
        const { ids } = publishKey as { ids?: string[] };
        // What is missing is made: the other files, and the carousel itself.
        expect(made(signed).length - before).toBe(ids === undefined ? 0 : 4 - ids.length);
      }
      expect(await ledger(simulators, signed.handle)).toEqual([]);
    });

    it("a ready container is asked for, and kept as it is", async () => {
      const { signed, context, post, publishKey } = await ready("kept");
      signed.calls.length = 0;
      const again = await network.prepare(post, context, publishKey, async () => {});
      expect(again).toMatchObject({ is: "prepared", publishKey: { id: (publishKey as { id: string }).id } });
      expect(signed.calls).toHaveLength(1);
    });

    it.each(["EXPIRED", "ERROR"])("a ready container that is %s is replaced", async (status) => {
      const { signed, post, publishKey } = await ready("old");
      await fault(signed, names.container, state(status));
      const again = await prepare(network, post, signed, publishKey);
      expect(again).toMatchObject({
        is: "prepared",
        publishKey: { id: expect.not.stringContaining(idOf(publishKey)) },
      });
    });

    it("one whose state cannot be read stays, and is asked for later", async () => {
      const { signed, context, post, publishKey } = await ready("unread");
      await fault(signed, names.container, { do: "reset_before" });
      expect(await network.prepare(post, context, publishKey, async () => {})).toMatchObject({ is: "retryable" });
      await fault(signed, names.container, graphError(190, 463, {}, 401));
      expect(await network.prepare(post, context, publishKey, async () => {})).toMatchObject({ is: "unauthorized" });
    });
  });

  it("a container that stays in progress is given up for a new one, and in the end for good", async () => {
    const signed = await account();
    const publication = await post("stuck");
    await fault(signed, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    const answer = await prepare(network, publication, signed);
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_unavailable",
      detail: expect.stringContaining("file 1"),
    });
    expect(made(signed)).toHaveLength(3);
  });

  it("looks at a container often at first, then once a minute", async () => {
    const signed = await account();
    const publication = await post("slow");
    await fault(signed, names.container, { ...state("IN_PROGRESS"), count: 1_000 });
    let publishKey: Json = null;
    const waits: number[] = [];
    while (waits.length < 30) {
      const answer = await network.prepare(publication, signed.context, publishKey, async (saved) => {
        publishKey = saved;
      });
      if (answer.is !== "retryable" || answer.retryAt === undefined) throw new Error(JSON.stringify(answer));
      waits.push(answer.retryAt - signed.context.io.now());
      signed.pass(answer.retryAt - signed.context.io.now());
    }
    expect(waits[0]).toBeLessThanOrEqual(1_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(MINUTE_MS);
    expect(waits.at(-1)).toBeGreaterThan(MINUTE_MS - 1_000);
  });

  it("a wait that is asked for is told also where nothing can be saved any more", async () => {
    const signed = await account();
    const publication = await post("overtaken");
    await fault(signed, names.make, graphError(4, undefined, {}, 429));
    const overtaken = () => Promise.reject(new Error("another session has written the delivery"));
    const answer = await network.prepare(publication, signed.context, null, overtaken);
    expect(answer).toMatchObject({ is: "retryable", notBefore: expect.any(Number) });
  });

  it("a used-up day is waited for before anything is made; one that cannot be read stops nothing", async () => {
    const signed = await account();
    const data = [{ quota_usage: 250, config: { quota_total: 250, quota_duration: 86_400 } }];
    await fault(signed, names.quota, { do: "status", status: 200, body: { data } });
    const publication = await post("full");
    const before = signed.context.io.now();
    const answer = await network.prepare(publication, signed.context, null, async () => {});
    expect(answer).toMatchObject({
      is: "retryable",
      error: "network_quota",
      isOfDay: true,
      detail: expect.stringContaining("250 of 250"),
    });
    expect(answer.is === "retryable" ? answer.notBefore : 0).toBeGreaterThanOrEqual(before + 60 * MINUTE_MS);
    expect(made(signed)).toEqual([]);
    await fault(signed, names.quota, { do: "status", status: 500, body: "" });
    expect(await prepare(network, publication, signed)).toMatchObject({ is: "prepared" });
  });

  it.each(["quota", "list"] as const)("waits when its question for the %s is answered with a wait", async (call) => {
    const signed = await account();
    const waits = { do: "status", status: 429, body: {}, headers: { "retry-after": "90" } };
    await fault(signed, names[call], waits);
    const publication = await post("asked to wait");
    const asked = signed.context.io.now();
    const kept: { publishKey: Json } = { publishKey: null };
    const answer = await prepare(network, publication, signed, null, (publishKey) =>
      Object.assign(kept, { publishKey }),
    );
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota" });
    expect(answer.is === "retryable" ? (answer.notBefore ?? 0) : 0).toBeGreaterThanOrEqual(asked + 89_000);
    // What it has made by then it goes on with.
    const before = made(signed).length;
    expect(before).toBe(call === "quota" ? 0 : 1);
    expect(await prepare(network, publication, signed, kept.publishKey)).toMatchObject({ is: "prepared" });
    expect(made(signed)).toHaveLength(1);
  });

  it("the network's own instant of regained access counts", async () => {
    const signed = await account();
    const usage = { "1784": [{ type: "x", call_count: 100, estimated_time_to_regain_access: 42 }] };
    const headers = { "x-business-use-case-usage": JSON.stringify(usage) };
    await fault(signed, names.make, { ...graphError(4), headers });
    const before = signed.context.io.now();
    const answer = await network.prepare(await post("limited"), signed.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", error: "network_quota" });
    expect((answer.is === "retryable" ? (answer.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(42 * MINUTE_MS);
  });

  it("a new try after trouble with a container waits as long as the network asks for", async () => {
    const signed = await account();
    await fault(signed, names.make, { ...names.notVisible, headers: { "retry-after": "600" } });
    const before = signed.context.io.now();
    const answer = await network.prepare(await post("in ten minutes"), signed.context, null, async () => {});
    expect(answer).toMatchObject({ is: "retryable", retryAt: expect.any(Number) });
    expect((answer.is === "retryable" ? (answer.notBefore ?? 0) : 0) - before).toBeGreaterThanOrEqual(600_000);
  });

  it("an error is known by its code, whatever else is in it", async () => {
    const signed = await account();
    const odd = { message: null, error_subcode: null, is_transient: "no", error_user_msg: 7 };
    await fault(signed, names.make, graphError(10, undefined, odd));
    const answer = await network.prepare(await post("odd"), signed.context, null, async () => {});
    expect(answer).toEqual({ is: "rejected", error: "permission_missing", networkMessage: "(10)" });
  });
});
