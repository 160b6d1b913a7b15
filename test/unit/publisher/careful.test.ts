// A publisher works carefully after starts that never ended, and after failures of its own work.
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../support/memory-storage.ts";
import { seal } from "../../support/node-context.ts";
import { MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";
import { answerSent, BESIDE, FIRST, makePublisher, SECOND, storeLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const UPCOMING = { nextAt: NOW + 5 * MINUTE } as const;
const brokenSeal = {
  ...seal,
  unseal: async () => {
    throw new Error("a fault of our own");
  },
};

describe("after starts that never ended", () => {
  const makeBegun = (alone: string | null, ends: Record<string, number> = {}) =>
    memoryStorage(new Map<string, unknown>([["begun", { starts: 2, alone, ends }]]));

  it("a publisher processes one delivery at a time, after a pause, and sets the alarm first", async () => {
    const { workspaceId, states } = await storeLane();
    let [open, mostOpen] = [0, 0];
    const alarms: (number | null)[] = [];
    const lanePublisher = makePublisher(workspaceId, {
      storage: makeBegun(null),
      answer: async () => {
        mostOpen = Math.max(mostOpen, ++open);
        alarms.push(lanePublisher.storage.alarmAt);
        await new Promise(setImmediate);
        open--;
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect(await states()).toEqual(["live", "live", "live"]);
    expect(mostOpen).toBe(1);
    expect(alarms).toEqual([1, 2, 3].map(() => NOW + 10_000));
    expect(lanePublisher.pauses).toContain(300);
    expect(lanePublisher.logs).toEqual([
      { level: "warn", event: "publisher_careful", workspace: workspaceId, count: 3 },
    ]);
    expect(lanePublisher.storage.values.has("begun")).toBe(false);
  });

  it("a publisher also processes deliveries alone that become due in the meantime, without another pause", async () => {
    const { workspaceId, states, change } = await storeLane([
      [BESIDE, UPCOMING],
      [SECOND, ENDED],
    ]);
    const lanePublisher = makePublisher(workspaceId, {
      storage: makeBegun(null),
      answer: async () => {
        if (lanePublisher.calls.length === 1) await change(BESIDE, { nextAt: NOW });
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect(await states()).toEqual(["live", "live", "cancelled"]);
    expect(lanePublisher.logs.map(({ event, count }) => [event, count])).toEqual([
      ["publisher_careful", 1],
      ["publisher_careful", 1],
    ]);
    expect(lanePublisher.pauses.filter((ms) => ms === 300)).toHaveLength(1);
  });

  it("a publisher processes deliveries in parallel again once each has been processed alone, even if it failed", async () => {
    const { workspaceId, states } = await storeLane([[BESIDE, ENDED]]);
    const { ring, storage, logs } = makePublisher(workspaceId, {
      storage: makeBegun(null),
      outside: { seal: brokenSeal },
    });
    await ring();
    expect(await states()).toEqual(["pending", "cancelled", "pending"]);
    expect(logs.filter(({ event }) => event === "publisher_careful")).toMatchObject([{ count: 2 }]);
    expect(storage.values.has("begun")).toBe(false);
    // The first delivery of the channel has failed again, and the other one waits for it.
    expect(storage.values.get("failures")).toEqual({ "post_1:ch_1:0:send": 2, "post_2:ch_1:0:send": 1 });
  });

  it("a publisher processes the delivery during which the object ended as the last one", async () => {
    const { workspaceId, read } = await storeLane([[BESIDE, ENDED]]);
    let id = 0;
    const { ring } = makePublisher(workspaceId, {
      storage: makeBegun("post_1:ch_1:0:send"),
      answer: () => answerSent(++id),
    });
    await ring();
    expect([(await read(SECOND))?.networkPost?.id, (await read(FIRST))?.networkPost?.id]).toEqual(["5/1", "5/2"]);
  });

  it("a publisher gives up only the delivery during which the object has ended three times", async () => {
    const { workspaceId, states, read } = await storeLane([[BESIDE, ENDED]]);
    const { ring, calls } = makePublisher(workspaceId, {
      storage: makeBegun("post_1:ch_1:0:send", { "post_1:ch_1:0:send": 2 }),
    });
    await ring();
    expect(calls).toEqual(["ch_1"]);
    expect(await states()).toEqual(["failed", "cancelled", "live"]);
    expect((await read(FIRST))?.lastTry?.error).toBe("internal_error");
  });

  it("a delivery that was given up is processed again when its owner retries it, even if the object has ended since", async () => {
    const { workspaceId, states, change } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = makeBegun("post_1:ch_1:0:send", { "post_1:ch_1:0:send": 2 });
    const remove = storage.kv.delete;
    // The object ends after the result is written, before it has recorded the end of its work.
    storage.kv.delete = () => undefined;
    await makePublisher(workspaceId, { storage }).ring();
    storage.kv.delete = remove;
    expect(await states()).toEqual(["failed", "cancelled", "cancelled"]);
    await change(FIRST, { state: "pending", nextAt: NOW });
    await makePublisher(workspaceId, { storage }).ring();
    expect(await states()).toEqual(["live", "cancelled", "cancelled"]);
  });
});

describe("a failure of our own work on one delivery", () => {
  it("each failure of our own work on a delivery makes only its channel wait longer", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = memoryStorage();
    for (const times of [1, 2]) {
      const { ring, logs } = makePublisher(workspaceId, { storage, outside: { seal: brokenSeal } });
      await ring();
      const error = "Error: a fault of our own";
      const fields = { workspace: workspaceId, channel: "ch_1", post: "post_1" };
      expect(logs).toEqual([{ level: "error", event: "delivery_failed", ...fields, error }]);
      expect(storage.alarmAt).toBe(NOW + times * 10_000);
      expect(storage.values.get("failures")).toEqual({ "post_1:ch_1:0:send": times });
    }
    const { ring } = makePublisher(workspaceId, { storage });
    await ring();
    expect((await states())[0]).toBe("live");
    expect(storage.values.get("failures")).toEqual({});
  });

  it("a delivery fails after the fifth failure of our own work on it", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = memoryStorage(new Map<string, unknown>([["failures", { "post_1:ch_1:0:send": 5 }]]));
    const { ring, calls } = makePublisher(workspaceId, { storage });
    await ring();
    expect(calls).toEqual([]);
    expect((await states())[0]).toBe("failed");
  });
});
