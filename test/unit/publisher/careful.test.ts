// How a publisher goes on after starts that had no end, and after failures of its own work.
import { describe, expect, it } from "vitest";
import { memoryStorage } from "../../support/memory-storage.ts";
import { seal } from "../../support/node-context.ts";
import { MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, publisherWith, SECOND, sent, storedLane } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const UPCOMING = { nextAt: NOW + 5 * MINUTE } as const;
const brokenSeal = {
  ...seal,
  unseal: async () => {
    throw new Error("a fault of our own");
  },
};

describe("starts without an end", () => {
  const begun = (alone: string | null, ends: Record<string, number> = {}) =>
    memoryStorage(new Map<string, unknown>([["begun", { starts: 2, alone, ends }]]));

  it("have a publisher work one delivery at a time, after a pause, with the alarm set beforehand", async () => {
    const { workspaceId, states } = await storedLane();
    let [open, most] = [0, 0];
    const alarms: (number | null)[] = [];
    const own = publisherWith(workspaceId, {
      storage: begun(null),
      answer: async () => {
        most = Math.max(most, ++open);
        alarms.push(own.storage.alarmAt);
        await new Promise(setImmediate);
        open--;
        return sent();
      },
    });
    await own.ring();
    expect(await states()).toEqual(["live", "live", "live"]);
    expect(most).toBe(1);
    expect(alarms).toEqual([1, 2, 3].map(() => NOW + 10_000));
    expect(own.pauses).toContain(300);
    expect(own.logs).toEqual([{ level: "warn", event: "publisher_careful", workspace: workspaceId, count: 3 }]);
    expect(own.storage.values.has("begun")).toBe(false);
  });

  it("have it work what comes due meanwhile alone too, without another pause", async () => {
    const { workspaceId, states, change } = await storedLane([
      [BESIDE, UPCOMING],
      [SECOND, ENDED],
    ]);
    const own = publisherWith(workspaceId, {
      storage: begun(null),
      answer: async () => {
        if (own.calls.length === 1) await change(BESIDE, { nextAt: NOW });
        return sent();
      },
    });
    await own.ring();
    expect(await states()).toEqual(["live", "live", "cancelled"]);
    expect(own.logs.map(({ event, count }) => [event, count])).toEqual([
      ["publisher_careful", 1],
      ["publisher_careful", 1],
    ]);
    expect(own.pauses.filter((ms) => ms === 300)).toHaveLength(1);
  });

  it("have it work side by side again what failed alone, once each was worked alone", async () => {
    const { workspaceId, states } = await storedLane([[BESIDE, ENDED]]);
    const { ring, storage, logs } = publisherWith(workspaceId, {
      storage: begun(null),
      outside: { seal: brokenSeal },
    });
    await ring();
    expect(await states()).toEqual(["pending", "cancelled", "pending"]);
    expect(logs.filter(({ event }) => event === "publisher_careful")).toMatchObject([{ count: 2 }]);
    expect(storage.values.has("begun")).toBe(false);
    // The first of the channel has failed once more, and the other one waits behind it.
    expect(storage.values.get("failures")).toEqual({ "post_1:ch_1:0:send": 2, "post_2:ch_1:0:send": 1 });
  });

  it("have it work the delivery last at which the object has ended", async () => {
    const { workspaceId, read } = await storedLane([[BESIDE, ENDED]]);
    let id = 0;
    const { ring } = publisherWith(workspaceId, {
      storage: begun("post_1:ch_1:0:send"),
      answer: () => sent(++id),
    });
    await ring();
    expect([(await read(SECOND))?.netPostId, (await read(FIRST))?.netPostId]).toEqual(["5/1", "5/2"]);
  });

  it("have it give the delivery up at which the object has ended three times, and nothing else", async () => {
    const { workspaceId, states, read } = await storedLane([[BESIDE, ENDED]]);
    const { ring, calls } = publisherWith(workspaceId, {
      storage: begun("post_1:ch_1:0:send", { "post_1:ch_1:0:send": 2 }),
    });
    await ring();
    expect(calls).toEqual(["ch_1"]);
    expect(await states()).toEqual(["failed", "cancelled", "live"]);
    expect((await read(FIRST))?.error).toBe("internal_error");
  });

  it("let a delivery that was given up be tried again when its owner retries it, even if the object ended since", async () => {
    const { workspaceId, states, change } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = begun("post_1:ch_1:0:send", { "post_1:ch_1:0:send": 2 });
    const remove = storage.kv.delete;
    // The object ends once the result is written, before it has recorded that its work is done.
    storage.kv.delete = () => undefined;
    await publisherWith(workspaceId, { storage }).ring();
    storage.kv.delete = remove;
    expect(await states()).toEqual(["failed", "cancelled", "cancelled"]);
    await change(FIRST, { state: "pending", nextAt: NOW });
    await publisherWith(workspaceId, { storage }).ring();
    expect(await states()).toEqual(["live", "cancelled", "cancelled"]);
  });
});

describe("a failure of our own work on one delivery", () => {
  it("has its channel wait longer each time, and no other delivery", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = memoryStorage();
    for (const times of [1, 2]) {
      const { ring, logs } = publisherWith(workspaceId, { storage, outside: { seal: brokenSeal } });
      await ring();
      const error = "Error: a fault of our own";
      const named = { workspace: workspaceId, channel: "ch_1", post: "post_1" };
      expect(logs).toEqual([{ level: "error", event: "delivery_failed", ...named, error }]);
      expect(storage.alarmAt).toBe(NOW + times * 10_000);
      expect(storage.values.get("failures")).toEqual({ "post_1:ch_1:0:send": times });
    }
    const { ring } = publisherWith(workspaceId, { storage });
    await ring();
    expect((await states())[0]).toBe("live");
    expect(storage.values.get("failures")).toEqual({});
  });

  it("ends the delivery after the fifth time", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const storage = memoryStorage(new Map<string, unknown>([["failures", { "post_1:ch_1:0:send": 5 }]]));
    const { ring, calls } = publisherWith(workspaceId, { storage });
    await ring();
    expect(calls).toEqual([]);
    expect((await states())[0]).toBe("failed");
  });
});
