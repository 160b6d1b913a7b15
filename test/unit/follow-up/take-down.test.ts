// A takedown ends a delivery only when the network confirms it. The last part of a thread is taken down first.
import { describe, expect, it } from "vitest";
import type { RecheckOutcome, TakenDown } from "../../../src/domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { takeDown } from "../../../src/follow-up/take-down.ts";
import type { Network } from "../../../src/networks/network.ts";
import { makeThreadPart, NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery, getToken, makeNetwork, makeRenewing } from "./followed-delivery.ts";

const GONE: RecheckOutcome = { is: "gone" };
const THERE: RecheckOutcome = { is: "there", url: "https://net.example/77" };

/** Takes a delivery down on this network. */
async function runTakedown(network: Network, { tries = 0, ...parts }: Parts & { tries?: number } = {}) {
  const followed = await followedDelivery({ ...parts, work: [{ kind: "takedown", state: "due", tries }] });
  const post = { id: "77", publishKey: null };
  const found = await followed.found();
  const notBefore = await takeDown(
    { ...found, ...followed, network },
    post,
    found.followUps[0] ?? expect.fail("no work"),
  );
  const row = await followed.read();
  return { ...followed, notBefore, row, takedown: row.work.takedown };
}
type Parts = NonNullable<Parameters<typeof followedDelivery>[0]>;
/** Makes a network that gives these answers in turn. `calls` lists the posts in the order of the calls. */
function makeAnswering(answers: TakenDown[], recheckOutcome?: RecheckOutcome) {
  const calls: string[] = [];
  const network = makeRenewing({
    takeDown: async ({ id }, context) => {
      calls.push(`${id} ${getToken(context)}`);
      return answers.shift() ?? expect.fail("asked too often");
    },
    recheck: async ({ id }) => {
      calls.push(`recheck ${id}`);
      return recheckOutcome ?? expect.fail("nothing was to be seen");
    },
  });
  return { calls, network };
}

describe("a post that is taken down", () => {
  it("a post is removed if its network confirms the takedown", async () => {
    const { network, calls } = makeAnswering([{ is: "taken_down" }]);
    const { row, takedown, logs, notBefore } = await runTakedown(network);
    expect(row).toMatchObject({ state: "removed", checkAt: null });
    expect(takedown).toMatchObject({ state: "done", detail: null });
    expect([calls, notBefore]).toEqual([["77 old"], undefined]);
    expect(logs).toMatchObject([
      {
        level: "info",
        event: "follow_up",
        workspace: row.workspaceId,
        post: "post_1",
        channel: "ch_1",
        platform: "telegram",
        outcome: "takedown: done",
      },
    ]);
  });

  it("a post that its network does not find is removed if it is no longer visible", async () => {
    const { network, calls } = makeAnswering([{ is: "missing", detail: "nothing there" }], GONE);
    expect((await runTakedown(network)).row).toMatchObject({ state: "removed" });
    expect(calls).toEqual(["77 old", "recheck 77"]);
  });

  it("a post whose takedown has no answer is removed if it is no longer visible", async () => {
    const { network, calls } = makeAnswering([{ is: "unknown", detail: "no answer" }], GONE);
    expect((await runTakedown(network)).row).toMatchObject({ state: "removed" });
    expect(calls).toEqual(["77 old", "recheck 77"]);
  });

  it("a takedown without an answer stays due while the post is visible", async () => {
    const { network } = makeAnswering([{ is: "unknown", detail: "no answer" }], THERE);
    const { row, takedown } = await runTakedown(network);
    expect(row).toMatchObject({ state: "live", checkAt: NOW + MINUTE_MS });
    expect(takedown).toMatchObject({ state: "due", tries: 1 });
  });

  it("a takedown waits as long as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { row, takedown, notBefore } = await runTakedown(makeAnswering([wait]).network);
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect([takedown?.state, row.checkAt]).toEqual(["due", NOW + HOUR_MS]);
  });

  it("a post stays live if its network refuses the takedown, and is rechecked at its usual time", async () => {
    const { network } = makeAnswering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const { row, takedown, logs } = await runTakedown(network);
    expect(row).toMatchObject({ state: "live", lastTry: null, checkAt: NOW + 9 * MINUTE_MS });
    expect(takedown).toMatchObject({ state: "failed", detail: "it was not taken down: too late" });
    expect(logs).toMatchObject([{ level: "warn", outcome: "takedown: failed" }]);
  });

  it("a takedown is unknown after its last try without an answer, and the post is rechecked", async () => {
    const { network } = makeAnswering([{ is: "unknown", detail: "no answer" }], { is: "unknown", detail: "no answer" });
    const { row, takedown, logs } = await runTakedown(network, { tries: 5 });
    expect(row).toMatchObject({ state: "live", checkAt: NOW + 9 * MINUTE_MS });
    expect(takedown).toMatchObject({ state: "unknown" });
    expect(logs).toMatchObject([{ level: "warn", outcome: "takedown: unknown" }]);
  });

  it("a takedown is repeated with a renewed token after a refused one", async () => {
    const { network, calls } = makeAnswering([{ is: "unauthorized", detail: "expired" }, { is: "taken_down" }]);
    expect((await runTakedown(network)).row).toMatchObject({ state: "removed" });
    expect(calls).toEqual(["77 old", "77 new"]);
  });

  it("a takedown fails if the network does not offer it", async () => {
    const { takeDown: _, ...without } = makeNetwork({});
    const { row, takedown } = await runTakedown(without);
    expect([row.state, takedown?.state]).toEqual(["live", "failed"]);
    expect(takedown?.detail).toContain("The network offers no such call.");
  });

  it("a takedown keeps the outcome that another process has recorded since it was read", async () => {
    const followed = await followedDelivery({ work: [{ kind: "takedown", state: "due", tries: 0 }] });
    const found = await followed.found();
    const { network } = makeAnswering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    await followed.changeWork("takedown", { tries: 1 });
    const work = found.followUps[0] ?? expect.fail("no work");
    await takeDown({ ...found, ...followed, network }, { id: "77", publishKey: null }, work);
    expect((await followed.readRow()).work.takedown).toMatchObject({ state: "due", tries: 1, detail: null });
  });
});

describe("a thread that is taken down", () => {
  const makeThread = (...ids: string[]) => ({
    threadParts: ids.map((id, position) => makeThreadPart(position, { id })),
  });
  const listRemoved = (row: { threadParts: { isRemoved: boolean }[] }) =>
    row.threadParts.map(({ isRemoved }) => isRemoved);

  it("a thread is taken down from its last part to its first, with the token that an earlier call renewed", async () => {
    const { network, calls } = makeAnswering([
      { is: "unauthorized", detail: "expired" },
      { is: "taken_down" },
      { is: "taken_down" },
      { is: "taken_down" },
    ]);
    const { row } = await runTakedown(network, makeThread("a", "b", "c"));
    expect(calls).toEqual(["c old", "c new", "b new", "a new"]);
    expect(row).toMatchObject({ state: "removed" });
    expect(listRemoved(row)).toEqual([true, true, true]);
  });

  it("the takedown of a thread stops at a part that fails, and leaves the earlier parts", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "later" } as const;
    const { network, calls } = makeAnswering([{ is: "taken_down" }, wait]);
    const { row, takedown } = await runTakedown(network, makeThread("a", "b", "c"));
    expect(calls).toEqual(["c old", "b old"]);
    expect(row.state).toBe("live");
    expect(takedown).toMatchObject({ state: "due", tries: 1 });
    expect(listRemoved(row)).toEqual([false, false, true]);
  });

  it("a failed thread is not rechecked after its network refuses the takedown", async () => {
    const { network } = makeAnswering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const stopped = { columns: { state: "failed" }, ...makeThread("a") } as const;
    const { row, takedown } = await runTakedown(network, stopped);
    expect([row.state, takedown?.state, row.checkAt]).toEqual(["failed", "failed", null]);
  });

  it("the takedown of a thread waits at a part as long as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { network, calls } = makeAnswering([wait]);
    const { row, notBefore } = await runTakedown(network, makeThread("a", "b"));
    expect([calls, notBefore, row.checkAt]).toEqual([["b old"], NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("the takedown of a thread skips parts that are already removed", async () => {
    const { network, calls } = makeAnswering([{ is: "taken_down" }]);
    const { row } = await runTakedown(network, {
      threadParts: [makeThreadPart(0, { id: "a" }), makeThreadPart(1, { id: "b", isRemoved: true })],
    });
    expect(calls).toEqual(["a old"]);
    expect(row).toMatchObject({ state: "removed" });
  });

  it("the takedown of a thread counts tries for each part separately", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "later" } as const;
    const two = makeThread("a", "b");
    const last = await runTakedown(makeAnswering([wait]).network, { ...two, tries: 5 });
    expect(last.takedown).toMatchObject({ state: "failed" });
    const first = await runTakedown(makeAnswering([{ is: "taken_down" }, wait]).network, { ...two, tries: 5 });
    expect(first.takedown).toMatchObject({ state: "due", tries: 1 });
  });
});
