// Taking posts down: only the network's word ends a delivery, and of a thread the last part goes first.
import { describe, expect, it } from "vitest";
import type { TakenDown, VerifyOutcome } from "../../../src/domain/delivery/outcome.ts";
import { HOUR_MS, MINUTE_MS } from "../../../src/domain/limits.ts";
import { takeDown } from "../../../src/follow-up/take-down.ts";
import type { Network } from "../../../src/networks/network.ts";
import { NOW } from "../store/deliveries/stored-delivery.ts";
import { followedDelivery, networkWith, renewing, tokenOf } from "./followed-delivery.ts";

const GONE: VerifyOutcome = { is: "gone" };
const THERE: VerifyOutcome = { is: "there", url: "https://net.example/77" };

/** Takes a delivery down at a network that answers so; `asked`: the posts in the order of the calls. */
async function takenDown(network: Network, columns: Columns = {}, tries = 0) {
  const followed = await followedDelivery({ columns, work: [{ kind: "takedown", state: "due", tries }] });
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
type Columns = NonNullable<Parameters<typeof followedDelivery>[0]>["columns"];
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
    const { row, takedown, logs, notBefore } = await takenDown(network);
    expect(row).toMatchObject({ state: "removed", checkAt: null });
    expect(takedown).toMatchObject({ state: "done", detail: null });
    expect([asked, notBefore]).toEqual([["77 old"], undefined]);
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
    const { row, takedown } = await takenDown(network);
    expect(row).toMatchObject({ state: "live", checkAt: NOW + MINUTE_MS });
    expect(takedown).toMatchObject({ state: "due", tries: 1 });
  });

  it("waits as long as its network asks", async () => {
    const wait = { is: "retryable", error: "network_quota", detail: "later", notBefore: NOW + HOUR_MS } as const;
    const { row, takedown, notBefore } = await takenDown(answering([wait]).network);
    expect(notBefore).toBe(NOW + HOUR_MS);
    expect([takedown?.state, row.checkAt]).toEqual(["due", NOW + HOUR_MS]);
  });

  it("stays live when its network refuses, and is verified again at its usual time", async () => {
    const { network } = answering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const { row, takedown, logs } = await takenDown(network);
    expect(row).toMatchObject({ state: "live", detail: null, checkAt: NOW + 9 * MINUTE_MS });
    expect(takedown).toMatchObject({ state: "failed", detail: "it was not taken down: too late" });
    expect(logs).toMatchObject([{ level: "warn", outcome: "takedown: failed" }]);
  });

  it("may be live for all that anybody knows after its last try had no answer, and is verified again", async () => {
    const { network } = answering([{ is: "unknown", detail: "no answer" }], { is: "unknown", detail: "no answer" });
    const { row, takedown, logs } = await takenDown(network, {}, 5);
    expect(row).toMatchObject({ state: "live", checkAt: NOW + 9 * MINUTE_MS });
    expect(takedown).toMatchObject({ state: "unknown" });
    expect(logs).toMatchObject([{ level: "warn", outcome: "takedown: unknown" }]);
  });

  it("is asked for with a renewed token after a refused one", async () => {
    const { network, asked } = answering([{ is: "unauthorized", detail: "expired" }, { is: "taken_down" }]);
    expect((await takenDown(network)).row).toMatchObject({ state: "removed" });
    expect(asked).toEqual(["77 old", "77 new"]);
  });

  it("stays live where the network offers no such call", async () => {
    const { takeDown: _, ...without } = networkWith({});
    const { row, takedown } = await takenDown(without);
    expect([row.state, takedown?.state]).toEqual(["live", "failed"]);
    expect(takedown?.detail).toContain("The network offers no such call.");
  });

  it("keeps the outcome that another process has recorded since", async () => {
    const followed = await followedDelivery({ work: [{ kind: "takedown", state: "due", tries: 0 }] });
    const found = await followed.found();
    const { network } = answering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    await followed.changeWork("takedown", { tries: 1 });
    const work = found.followUps[0] ?? expect.fail("no work");
    await takeDown({ ...found, ...followed, network }, { id: "77", publishKey: null }, work);
    expect((await followed.readRow()).work.takedown).toMatchObject({ state: "due", tries: 1, detail: null });
  });
});

describe("a thread that is taken down", () => {
  const part = (id: string, more = {}) => ({ id, url: null, urlState: "none", at: 1, attempts: 1, ...more });
  const parts = (...all: object[]) => ({ parts: JSON.stringify(all) });
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
    const { row, takedown } = await takenDown(network, parts(part("a"), part("b"), part("c")));
    expect(asked).toEqual(["c old", "b old"]);
    expect(row.state).toBe("live");
    expect(takedown).toMatchObject({ state: "due", tries: 1 });
    expect(removed(row)).toEqual([false, false, true]);
  });

  it("that had stopped is not verified after its network refused", async () => {
    const { network } = answering([{ is: "rejected", error: "content_refused", detail: "too late" }]);
    const stopped = { state: "failed", parts: JSON.stringify([part("a")]) } as const;
    const { row, takedown } = await takenDown(network, stopped);
    expect([row.state, takedown?.state, row.checkAt]).toEqual(["failed", "failed", null]);
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
    const two = parts(part("a"), part("b"));
    const last = await takenDown(answering([wait]).network, two, 5);
    expect(last.takedown).toMatchObject({ state: "failed" });
    const first = await takenDown(answering([{ is: "taken_down" }, wait]).network, two, 5);
    expect(first.takedown).toMatchObject({ state: "due", tries: 1 });
  });
});
