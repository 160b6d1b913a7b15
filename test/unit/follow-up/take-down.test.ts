// Taking posts down: only the network's word ends a delivery, and of a thread the last part goes first.
import { describe, expect, it } from "vitest";
import type { TakenDown, VerifyOutcome } from "../../../src/domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { giveUpTakedown, takeDown } from "../../../src/follow-up/take-down.ts";
import type { Network } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery, networkWith, renewing, tokenOf } from "./followed-delivery.ts";

const DUE = { takedownState: "due" } as const;
const GONE: VerifyOutcome = { is: "gone" };
const THERE: VerifyOutcome = { is: "there", url: "https://net.example/77" };

/** Takes a delivery down at a network that answers so; `asked`: the posts in the order of the calls. */
async function takenDown(network: Network, columns: Parameters<typeof followedDelivery>[0] = {}) {
  const followed = await followedDelivery({ ...columns, columns: { ...DUE, ...columns.columns } });
  const { tools, context } = followed;
  const post = { id: "77", publishKey: null };
  const notBefore = await takeDown(tools, await followed.found(), network, context, post);
  return { ...followed, notBefore, row: await followed.read() };
}
/** A network that answers each call in turn. */
function answering(answers: TakenDown[], seen?: VerifyOutcome) {
  const asked: string[] = [];
  const network = renewing({
    takeDown: async ({ id }, context) => {
      asked.push(`${id} ${tokenOf(context)}`);
      return answers.shift() ?? expect.fail("asked too often");
    },
    verify: async ({ id }) => {
      asked.push(`verify ${id}`);
      return seen ?? expect.fail("nothing was to be seen");
    },
  });
  return { asked, network };
}

describe("a post that is taken down", () => {
  it("is removed when its network says so", async () => {
    const { network, asked } = answering([{ is: "taken_down" }]);
    const { row, logs, notBefore } = await takenDown(network);
    expect(row).toMatchObject({ state: "removed", removedBy: "you", takedownState: null, checkAt: null });
    expect([asked, notBefore]).toEqual([["77 old"], undefined]);
    expect(logs).toMatchObject([
      {
        level: "info",
        event: "takedown",
        workspace: row.workspaceId,
        post: "post_1",
        channel: "ch_1",
        platform: "telegram",
        outcome: "removed",
      },
    ]);
  });

  it("is removed when its network does not know it and shows it no more", async () => {
    const { network, asked } = answering([{ is: "missing", detail: "nothing there" }], GONE);
    expect((await takenDown(network)).row).toMatchObject({ state: "removed" });
    expect(asked).toEqual(["77 old", "verify 77"]);
  });

  it("is removed after an answer that was lost, when its network shows it no more", async () => {
    const { network, asked } = answering([{ is: "unknown", detail: "no answer" }], GONE);
    expect((await takenDown(network)).row).toMatchObject({ state: "removed" });
    expect(asked).toEqual(["77 old", "verify 77"]);
  });

  it("stays due after an answer that was lost, while the network still shows it", async () => {
    const { network } = answering([{ is: "unknown", detail: "no answer" }], THERE);
    const { row } = await takenDown(network);
    expect(row).toMatchObject({ state: "live", takedownState: "due", takedownTries: 1, checkAt: NOW + MINUTE_MS });
  });

  it("waits as long as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { row, notBefore } = await takenDown(answering([wait]).network);
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect(row).toMatchObject({ takedownState: "due", checkAt: NOW + HOUR_MS });
  });

  it("stays live when its network refuses, and is verified again at its usual time", async () => {
    const { network } = answering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const { row, logs } = await takenDown(network);
    expect(row).toMatchObject({ state: "live", takedownState: "failed", detail: "it was not taken down: too late" });
    expect(row.checkAt).toBe(NOW + 9 * MINUTE_MS);
    expect(logs).toMatchObject([{ level: "warn", outcome: "failed" }]);
  });

  it("may be live for all that anybody knows after its last try had no answer, and is verified again", async () => {
    const { network } = answering([{ is: "unknown", detail: "no answer" }], { is: "unknown", detail: "no answer" });
    const { row, logs } = await takenDown(network, { columns: { takedownTries: 5 } });
    expect(row).toMatchObject({ state: "live", takedownState: "unknown", checkAt: NOW + 9 * MINUTE_MS });
    expect(logs).toMatchObject([{ level: "warn", outcome: "unknown" }]);
  });

  it("is asked for with a renewed token after a refused one", async () => {
    const { network, asked } = answering([{ is: "unauthorized", detail: "expired" }, { is: "taken_down" }]);
    expect((await takenDown(network)).row).toMatchObject({ state: "removed" });
    expect(asked).toEqual(["77 old", "77 new"]);
  });

  it("stays live where the network offers no such call", async () => {
    const { takeDown: _, ...without } = networkWith({});
    const { row } = await takenDown(without);
    expect(row).toMatchObject({ state: "live", takedownState: "failed" });
    expect(row.detail).toContain("The network offers no such call.");
  });

  it("that nobody can ask for any more stays live, with an outcome that is unknown", async () => {
    const followed = await followedDelivery({ columns: DUE });
    await giveUpTakedown(followed.tools, await followed.found());
    expect(await followed.read()).toMatchObject({
      state: "live",
      takedownState: "unknown",
      detail: "it may not have been taken down; check the network: the channel is not connected",
    });
  });
});

describe("a thread that is taken down", () => {
  const part = (id: string, more = {}) => ({ id, url: null, urlState: "none", at: 1, attempts: 1, ...more });
  const parts = (...all: object[]) => ({ columns: { parts: JSON.stringify(all) } });
  const removed = (row: { parts: string | null }) =>
    JSON.parse(row.parts ?? "[]").map((one: { removed?: boolean }) => one.removed === true);

  it("goes from its last part to its first, with the token that the call before had renewed", async () => {
    const { network, asked } = answering([
      { is: "unauthorized", detail: "expired" },
      { is: "taken_down" },
      { is: "taken_down" },
      { is: "taken_down" },
    ]);
    const { row } = await takenDown(network, parts(part("a"), part("b"), part("c")));
    expect(asked).toEqual(["c old", "c new", "b new", "a new"]);
    expect(row).toMatchObject({ state: "removed" });
    expect(removed(row)).toEqual([true, true, true]);
  });

  it("stops at a part that stays, and leaves the ones before it", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "later" } as const;
    const { network, asked } = answering([{ is: "taken_down" }, wait]);
    const { row } = await takenDown(network, parts(part("a"), part("b"), part("c")));
    expect(asked).toEqual(["c old", "b old"]);
    expect(row).toMatchObject({ state: "live", takedownState: "due", takedownTries: 1 });
    expect(removed(row)).toEqual([false, false, true]);
  });

  it("that had stopped is not verified after its network refused", async () => {
    const { network } = answering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const stopped = { state: "failed", parts: JSON.stringify([part("a")]) } as const;
    const { row } = await takenDown(network, { columns: stopped });
    expect(row).toMatchObject({ state: "failed", takedownState: "failed", checkAt: null });
  });

  it("waits as long as its network asks with the part that it stopped at", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { network, asked } = answering([wait]);
    const { row, notBefore } = await takenDown(network, parts(part("a"), part("b")));
    expect([asked, notBefore, row.checkAt]).toEqual([["b old"], NOW + HOUR_MS, NOW + HOUR_MS]);
  });

  it("leaves out parts that are gone already", async () => {
    const { network, asked } = answering([{ is: "taken_down" }]);
    const { row } = await takenDown(network, parts(part("a"), part("b", { removed: true })));
    expect(asked).toEqual(["a old"]);
    expect(row).toMatchObject({ state: "removed" });
  });

  it("counts the tries of the part that it stopped at, and of no other", async () => {
    const wait = { is: "retryable", error: "network_unavailable", detail: "later" } as const;
    const five = { takedownTries: 5 };
    const last = await takenDown(answering([wait]).network, {
      columns: { ...five, parts: JSON.stringify([part("a"), part("b")]) },
    });
    expect(last.row).toMatchObject({ takedownState: "failed" });
    const first = await takenDown(answering([{ is: "taken_down" }, wait]).network, {
      columns: { ...five, parts: JSON.stringify([part("a"), part("b")]) },
    });
    expect(first.row).toMatchObject({ takedownState: "due", takedownTries: 1 });
  });
});
