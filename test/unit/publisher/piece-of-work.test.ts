import { describe, expect, it } from "vitest";
import { PieceOfWork } from "../../../src/publisher/piece-of-work.ts";

/** Makes a piece of work with a clock that only waits move. */
function setUpPiece() {
  const clock = { now: 1_000_000, waits: [] as number[] };
  const pause = async (ms: number, signal?: AbortSignal) => {
    clock.waits.push(ms);
    if (signal?.aborted !== true) clock.now += ms;
  };
  return { clock, piece: new PieceOfWork({ now: () => clock.now, pause }) };
}

describe("a piece of work", () => {
  it("a piece of work ends after a minute, a number of deliveries, or half of the queries that an invocation may make", () => {
    const byTime = setUpPiece();
    expect(byTime.piece.isSpent).toBe(false);
    byTime.clock.now += 60_000;
    expect(byTime.piece.isSpent).toBe(true);

    const byDeliveries = setUpPiece();
    let deliveries = 0;
    for (; !byDeliveries.piece.isSpent; deliveries++) byDeliveries.piece.delivered();
    // Each delivery counts as twelve of five hundred queries.
    expect(deliveries).toBe(42);
    expect(byDeliveries.piece.hasDelivered).toBe(true);
    expect(byTime.piece.hasDelivered).toBe(false);

    const byFollowUps = setUpPiece();
    let followUps = 0;
    for (; !byFollowUps.piece.isSpent; followUps += 5) byFollowUps.piece.followedUp(5);
    expect(followUps).toBe(50);

    const byQueries = setUpPiece();
    let queries = 0;
    for (; !byQueries.piece.isSpent; queries++) byQueries.piece.queried(1);
    expect(queries).toBe(500);
  });

  it("a piece of work waits until the next due time, at most until its own end", async () => {
    const { clock, piece } = setUpPiece();
    await piece.wait(clock.now + 5_000);
    await piece.wait(null);
    expect(clock.waits).toEqual([5_000, 55_000]);
    expect(piece.isSpent).toBe(true);
  });

  it("a piece of work skips one wait if it was woken before", async () => {
    const { clock, piece } = setUpPiece();
    piece.wake();
    await piece.wait(clock.now + 5_000);
    expect(clock.waits).toEqual([]);
    await piece.wait(clock.now + 5_000);
    expect(clock.waits).toEqual([5_000]);
  });

  it("a piece of work can be woken during a wait", async () => {
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

  it("a piece of work stores the earliest instant for which it was armed, until that instant", async () => {
    const { clock, piece } = setUpPiece();
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

  it("a piece of work records work that was processed alone, and deliveries that others have written", () => {
    const { piece } = setUpPiece();
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

  it("a wait lasts at least a millisecond, and at most until the armed instant", async () => {
    const { clock, piece } = setUpPiece();
    await piece.wait(clock.now - 5);
    piece.armed(clock.now + 2_000);
    await piece.wait(null);
    await piece.wait(clock.now + 9_000);
    expect(clock.waits).toEqual([1, 2_000]);
  });
});
