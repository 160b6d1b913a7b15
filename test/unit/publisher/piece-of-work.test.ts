import { describe, expect, it } from "vitest";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";

/** A clock that stands still until somebody waits. */
function world() {
  const clock = { now: 1_000_000, waits: [] as number[] };
  const pause = async (ms: number, signal?: AbortSignal) => {
    clock.waits.push(ms);
    if (signal?.aborted !== true) clock.now += ms;
  };
  return { clock, piece: new PieceOfWork({ now: () => clock.now, pause }) };
}

describe("a piece of work", () => {
  it("is over after a minute, fifty deliveries, or half of the queries that one invocation may make", () => {
    const byTime = world();
    expect(byTime.piece.isSpent).toBe(false);
    byTime.clock.now += 60_000;
    expect(byTime.piece.isSpent).toBe(true);

    const byDeliveries = world();
    let deliveries = 0;
    for (; !byDeliveries.piece.isSpent; deliveries++) byDeliveries.piece.delivered();
    // Twelve queries each, of five hundred.
    expect(deliveries).toBe(42);
    expect(byDeliveries.piece.hasDelivered).toBe(true);
    expect(byTime.piece.hasDelivered).toBe(false);

    const byFollowUps = world();
    let followUps = 0;
    for (; !byFollowUps.piece.isSpent; followUps += 5) byFollowUps.piece.followedUp(5);
    expect(followUps).toBe(50);

    const byQueries = world();
    let queries = 0;
    for (; !byQueries.piece.isSpent; queries++) byQueries.piece.queried(1);
    expect(queries).toBe(500);
  });

  it("waits until something comes due, at most until its own end", async () => {
    const { clock, piece } = world();
    await piece.wait(clock.now + 5_000);
    await piece.wait(null);
    expect(clock.waits).toEqual([5_000, 55_000]);
    expect(piece.isSpent).toBe(true);
  });

  it("does not wait when something has changed already, and waits again after", async () => {
    const { clock, piece } = world();
    piece.wake();
    await piece.wait(clock.now + 5_000);
    expect(clock.waits).toEqual([]);
    await piece.wait(clock.now + 5_000);
    expect(clock.waits).toEqual([5_000]);
  });

  it("is woken while it waits", async () => {
    const now = 1_000_000;
    const piece = new PieceOfWork({
      now: () => now,
      pause: (_, signal) => new Promise((end) => signal?.addEventListener("abort", () => end())),
    });
    const waited = piece.wait(now + 5_000);
    piece.wake();
    await waited;
    expect(piece.isSpent).toBe(false);
  });

  it("notes the earliest instant that was asked for meanwhile, until it has come", async () => {
    const { clock, piece } = world();
    piece.armed(clock.now + 3_000);
    piece.armed(clock.now + 9_000);
    expect(piece.armedAt).toBe(clock.now + 3_000);
    expect(piece.takeWhetherArmed()).toBe(false);
    await piece.wait(null);
    await piece.wait(null);
    expect(clock.waits).toEqual([3_000]);
    expect(piece.takeWhetherArmed()).toBe(true);
    expect(piece.armedAt).toBeNull();
    expect(piece.takeWhetherArmed()).toBe(false);
  });

  it("remembers what was worked alone in it, and what somebody else had written", () => {
    const { piece } = world();
    expect([piece.hasWorkedAlone(null), piece.hasWorkedAlone("a")]).toEqual([false, false]);
    piece.worksAlone("a");
    expect([null, "a", "b"].map((name) => piece.hasWorkedAlone(name))).toEqual([true, true, false]);
    expect([piece.lose("a", 1), piece.lose("b", 1), piece.lose("a", 2), piece.lose("a", 2)]).toEqual([
      "first",
      "first",
      "changed",
      "unchanged",
    ]);
    piece.setAside("a");
    piece.setAside("a");
    expect(piece.aside).toEqual(["a"]);
  });

  it("waits for at least a millisecond, and no longer than until what was asked for meanwhile", async () => {
    const { clock, piece } = world();
    await piece.wait(clock.now - 5);
    piece.armed(clock.now + 2_000);
    await piece.wait(null);
    await piece.wait(clock.now + 9_000);
    expect(clock.waits).toEqual([1, 2_000]);
  });
});
