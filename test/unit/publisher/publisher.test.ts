// The work of a lane's publisher when its alarm fires, and the time of the next alarm.
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { Unwritten } from "../../../src/delivery/unwritten.ts";
import { channels, webhooks } from "../../../src/store/db/schema.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { nodeContext, seal } from "../../support/node-context.ts";
import { makeProof, sending } from "../store/deliveries/delivery-records.ts";
import { db, MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";
import { answerSent, answerTooFast, BESIDE, FIRST, makePublisher, SECOND, storeLane } from "./lane-of-telegram.ts";

const UPCOMING = { nextAt: NOW + 5 * MINUTE, scheduledFor: NOW + 5 * MINUTE };
const ENDED = { state: "cancelled", nextAt: null } as const;

describe("the alarm of a publisher", () => {
  it("an alarm publishes all due deliveries, in the order of their promised times on each channel, and is not set again", async () => {
    const { workspaceId, states, read } = await storeLane([[SECOND, { scheduledFor: NOW - 2 * MINUTE }]]);
    let id = 0;
    const { ring, storage, calls } = makePublisher(workspaceId, { answer: () => answerSent(++id) });
    await ring();
    expect(await states()).toEqual(["live", "live", "live"]);
    expect(calls.toSorted()).toEqual(["ch_1", "ch_1", "ch_2"]);
    const [earlier, later] = [await read(SECOND), await read(FIRST)].map((row) =>
      Number(row?.networkPost?.id.split("/")[1]),
    );
    expect(earlier).toBeLessThan(later ?? 0);
    expect(storage.alarmAt).toBeNull();
    expect([...storage.values.keys()]).toEqual(["lane"]);
  });

  it("an alarm processes channels in parallel, and one delivery of each channel at a time", async () => {
    const { workspaceId } = await storeLane();
    const open = new Map<string, number>();
    const most = { ofOne: 0, inAll: 0 };
    const bothBegan = Promise.withResolvers<void>();
    const { ring } = makePublisher(workspaceId, {
      answer: async (chat) => {
        open.set(chat, (open.get(chat) ?? 0) + 1);
        const counts = [...open.values()];
        most.ofOne = Math.max(most.ofOne, ...counts);
        most.inAll = Math.max(
          most.inAll,
          counts.reduce((sum, count) => sum + count),
        );
        if (open.size === 2) bothBegan.resolve();
        await bothBegan.promise;
        // Without the rule, a second delivery of the channel would begin during these turns.
        for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
        open.set(chat, (open.get(chat) ?? 0) - 1);
        return answerSent();
      },
    });
    await ring();
    expect(most).toEqual({ ofOne: 1, inAll: 2 });
  });

  it("the next alarm is set to the next due time", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, UPCOMING],
      [SECOND, { ...UPCOMING, nextAt: NOW + 9 * MINUTE }],
    ]);
    const { ring, storage } = makePublisher(workspaceId);
    await ring();
    expect(await states()).toEqual(["live", "pending", "pending"]);
    expect(storage.alarmAt).toBe(NOW + 5 * MINUTE);
  });

  it("a wait that the network asks for delays its channel, and not the others", async () => {
    const { workspaceId, states, read } = await storeLane();
    const { ring, calls, storage } = makePublisher(workspaceId, {
      answer: (chat) => (chat === "ch_1" ? answerTooFast(120) : answerSent()),
    });
    await ring();
    expect(storage.alarmAt).toBe(NOW + 2 * MINUTE);
    expect(calls.toSorted()).toEqual(["ch_1", "ch_2"]);
    expect(await states()).toEqual(["retry_wait", "live", "pending"]);
    expect((await read(FIRST))?.nextAt).toBe(NOW + 2 * MINUTE);
    const [channel] = await db.select().from(channels).where(eq(channels.workspaceId, workspaceId));
    expect(channel).toMatchObject({ id: "ch_1", notBefore: NOW + 2 * MINUTE });
  });

  it("the alarm of a publisher without a lane does nothing", async () => {
    const { workspaceId } = await storeLane();
    const { publisher, contexts, calls } = makePublisher(workspaceId);
    await publisher.alarm();
    expect([contexts(), calls.length]).toEqual([0, 0]);
  });

  it("a publisher whose lane has no more channels deletes its storage", async () => {
    const { workspaceId } = await storeLane();
    const { ring, publisher, storage } = makePublisher(`${workspaceId} that is gone`);
    storage.kv.put("something", 1);
    await ring();
    expect(storage.values.size).toBe(0);
    expect(storage.alarmAt).toBeNull();
    expect(publisher.isAtWork).toBe(false);
  });

  it("the alarm fires again after ten seconds if our own work fails, and throws nothing", async () => {
    const { workspaceId, states } = await storeLane();
    const homes = nodeContext(db, NOW).homes;
    const databaseOf = () => {
      throw new Error("a fault of our own");
    };
    const { ring, storage, logs } = makePublisher(workspaceId, { outside: { homes, databaseOf } });
    await ring();
    expect(storage.alarmAt).toBe(NOW + 10_000);
    expect(await states()).toEqual(["pending", "pending", "pending"]);
    expect(logs).toContainEqual({
      level: "error",
      event: "publisher_failed",
      workspace: workspaceId,
      error: "Error: a fault of our own",
    });
  });

  it("a publisher reports the outcomes of its deliveries once", async () => {
    const { workspaceId } = await storeLane([[SECOND, ENDED]]);
    const counted: Record<string, number>[] = [];
    const outcomes = { add: async (counts: Record<string, number>) => void counted.push(counts), read: async () => [] };
    const { ring } = makePublisher(workspaceId, { outside: { outcomes } });
    await ring();
    expect(counted.map((counts) => Object.values(counts))).toEqual([[2]]);
    await ring();
    expect(counted).toHaveLength(1);
  });
});

describe("a publisher that is armed", () => {
  it("arming a publisher stores its lane, and moves its alarm only to an earlier time", async () => {
    const { workspaceId } = await storeLane();
    const { publisher, lane, storage } = makePublisher(workspaceId);
    await publisher.arm(lane, NOW + 9_000);
    await publisher.arm(lane, NOW + 99_000);
    expect(storage.alarmAt).toBe(NOW + 9_000);
    await publisher.arm({ ...lane, lane: 1 }, NOW + 5_000);
    expect(storage.alarmAt).toBe(NOW + 5_000);
    expect(storage.values.get("lane")).toEqual({ ...lane, lane: 1 });
  });

  it("arming a publisher writes its lane only if it has changed", async () => {
    const { workspaceId } = await storeLane();
    const storage = memoryStorage();
    const writtenNames: string[] = [];
    const { kv } = storage;
    const put = (name: string, value: unknown) => {
      writtenNames.push(name);
      kv.put(name, value);
    };
    const { publisher, lane } = makePublisher(workspaceId, { storage: { ...storage, kv: { ...kv, put } } });
    await publisher.arm(lane, NOW);
    await publisher.arm({ ...lane }, NOW);
    expect(writtenNames).toEqual(["lane"]);
    await publisher.arm({ ...lane, workspaceId: "ws_other" }, NOW);
    expect(writtenNames).toEqual(["lane", "lane"]);
  });

  it("a publisher that is armed during its work processes the newly due delivery in the same piece of work", async () => {
    const { workspaceId, change, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, UPCOMING],
    ]);
    const lanePublisher = makePublisher(workspaceId, {
      answer: async () => {
        if (lanePublisher.calls.length === 1) {
          expect(lanePublisher.publisher.isAtWork).toBe(true);
          await change(SECOND, { nextAt: NOW, scheduledFor: NOW });
          await lanePublisher.publisher.arm(lanePublisher.lane, NOW);
          expect(lanePublisher.storage.alarmAt).toBeNull();
        }
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect(await states()).toEqual(["live", "cancelled", "live"]);
  });
});

describe("a delivery that is changed while it is prepared", () => {
  it("a delivery that is changed while it is prepared is read again and published", async () => {
    const { workspaceId, change, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    let isWritten = false;
    const unseal: typeof seal.unseal = async (...sealed) => {
      if (!isWritten) await change(FIRST, { version: 9 });
      isWritten = true;
      return seal.unseal(...sealed);
    };
    const { ring, calls } = makePublisher(workspaceId, { outside: { seal: { ...seal, unseal } } });
    await ring();
    expect(calls).toEqual(["ch_1"]);
    expect(await states()).toEqual(["live", "cancelled", "cancelled"]);
  });
});

describe("the endpoints of a workspace", () => {
  const addWebhook = (workspaceId: string) =>
    db.insert(webhooks).values({
      workspaceId,
      id: "wh_1",
      url: "https://hooks.example",
      events: ["delivery.succeeded"],
      secret: "sealed",
      createdAt: 0,
    });
  const recordWakes = () => {
    const woken: string[][] = [];
    const wake = async (workspace: string, ids: string[]) => void woken.push([workspace, ...ids]);
    return { woken, webhooks: { wake } };
  };

  it("a published delivery wakes the endpoints of its workspace", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    await addWebhook(workspaceId);
    const { woken, ...outside } = recordWakes();
    await makePublisher(workspaceId, { outside }).ring();
    expect((await states())[0]).toBe("live");
    expect(woken).toEqual([[workspaceId, "wh_1"]]);
  });

  it("a stored record that is written later wakes the endpoints of its workspace", async () => {
    const { workspaceId, states, guard } = await storeLane([
      [FIRST, sending],
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    await addWebhook(workspaceId);
    const storage = memoryStorage();
    new Unwritten(storage).keepRecords([makeProof({ guard })]);
    const { woken, ...outside } = recordWakes();
    const { ring, calls } = makePublisher(workspaceId, { storage, outside });
    await ring();
    expect((await states())[0]).toBe("live");
    expect(woken).toEqual([[workspaceId, "wh_1"]]);
    expect([calls, [...storage.values.keys()]]).toEqual([[], ["lane"]]);
  });
});
