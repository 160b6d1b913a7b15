// What a publisher waits for while it is at work, what goes on after its piece of work is over, and what it leaves for the next alarm.
import { describe, expect, it } from "vitest";
import { DatabaseAway } from "../../../src/domain/database-fault.ts";
import { Publisher } from "../../../src/publisher/publisher.ts";
import { webhooks } from "../../../src/store/db/schema.ts";
import { collectLogs } from "../../support/logs.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { seal } from "../../support/node-context.ts";
import { db, MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";
import { BESIDE, FIRST, movingClock, publisherWith, SECOND, sent, storedLane, tooFast } from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const failingSeal = (error: Error, calls: unknown[] = []) => ({
  ...seal,
  unseal: async (...sealed: unknown[]) => {
    calls.push(sealed);
    throw error;
  },
});

describe("an alarm that rang for nothing", () => {
  const alone = (nextAt: number) =>
    storedLane([
      [FIRST, { nextAt }],
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);

  it("waits for what comes due within two seconds, and for nothing later", async () => {
    const soon = await alone(NOW + 2_000);
    const waiting = publisherWith(soon.workspaceId, { outside: movingClock() });
    await waiting.ring();
    expect([(await soon.states())[0], waiting.storage.alarmAt]).toEqual(["live", null]);
    const later = await alone(NOW + 2_001);
    const leaving = publisherWith(later.workspaceId, { outside: movingClock() });
    await leaving.ring();
    expect([(await later.states())[0], leaving.storage.alarmAt]).toEqual(["pending", NOW + 2_001]);
  });

  it("does not wait once something was delivered", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, { nextAt: NOW + 1_000 }],
      [SECOND, ENDED],
    ]);
    const { ring, storage } = publisherWith(workspaceId);
    await ring();
    expect([await states(), storage.alarmAt]).toEqual([["live", "pending", "cancelled"], NOW + 1_000]);
  });

  it("whose wait fails is set again, and its start is noted as ended", async () => {
    const { workspaceId } = await alone(NOW + 1_000);
    const storage = memoryStorage(new Map<string, unknown>([["begun", { starts: 1, alone: null, ends: {} }]]));
    const pause = () => Promise.reject(new Error("a fault of our own"));
    const { ring } = publisherWith(workspaceId, { storage, outside: { pause } });
    await ring();
    expect([storage.alarmAt, storage.values.has("begun")]).toEqual([NOW + 10_000, false]);
  });
});

describe("a publisher at work", () => {
  it("goes on with what is due on a channel as soon as the wait of its network is over", async () => {
    const { workspaceId, read } = await storedLane([
      [FIRST, { state: "retry_wait", retries: 3 }],
      [BESIDE, ENDED],
    ]);
    const { ring, storage, calls } = publisherWith(workspaceId, { answer: () => tooFast(60) });
    await ring();
    expect(calls).toEqual(["ch_1"]);
    // The one that was refused waits longer than that, because it was refused before.
    expect((await read(FIRST))?.nextAt).toBeGreaterThan(NOW + MINUTE);
    expect(storage.alarmAt).toBe(NOW + MINUTE);
  });

  it("starts what comes due on a channel while another one is under way", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, { nextAt: NOW + 30_000 }],
      [SECOND, ENDED],
    ]);
    const began = Promise.withResolvers<void>();
    const { ring } = publisherWith(workspaceId, {
      outside: movingClock(),
      answer: async (chat) => {
        if (chat === "ch_1") await began.promise;
        else began.resolve();
        return sent();
      },
    });
    await ring();
    await expect.poll(states).toEqual(["live", "live", "cancelled"]);
  });

  it("is set to what was asked for meanwhile and has not come", async () => {
    const { workspaceId } = await storedLane([[SECOND, ENDED]]);
    const own = publisherWith(workspaceId, {
      answer: async () => {
        await own.publisher.arm(own.lane, NOW + MINUTE);
        return sent();
      },
    });
    await own.ring();
    expect(own.storage.alarmAt).toBe(NOW + MINUTE);
  });

  it("leaves a call that takes longer than its piece of work to go on, and the channel's next delivery to the next alarm", async () => {
    const { workspaceId, states } = await storedLane([[BESIDE, ENDED]]);
    const hanging = Promise.withResolvers<void>();
    const own = publisherWith(workspaceId, {
      outside: movingClock(),
      answer: async () => {
        await hanging.promise;
        return sent();
      },
    });
    await own.ring();
    expect([own.publisher.isAtWork, own.storage.alarmAt]).toEqual([true, NOW + MINUTE]);
    hanging.resolve();
    await expect.poll(() => own.publisher.isAtWork).toBe(false);
    expect(await states()).toEqual(["live", "cancelled", "pending"]);
    await own.ring();
    expect(await states()).toEqual(["live", "cancelled", "live"]);
    expect(own.calls).toHaveLength(2);
  });

  it("goes on in the invocation of the next alarm with what waits for one", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const own = publisherWith(workspaceId, {
      limits: { fetches: 1, statements: 1_000 },
      answer: async () => {
        for (let call = 0; call < 2; call++) await own.allowance()?.take("fetches", 1);
        return sent();
      },
    });
    await own.ring();
    expect([(await states())[0], own.publisher.isAtWork]).toEqual(["sending", true]);
    await expect.poll(() => own.storage.alarmAt).toBe(NOW + 1);
    await own.storage.deleteAlarm();
    await own.publisher.alarm();
    expect([(await states())[0], own.publisher.isAtWork]).toEqual(["live", false]);
    expect(own.contexts()).toBe(1);
  });
});

describe("a start", () => {
  it("is noted while it lasts if its work is a second late, or has follow-ups, and not otherwise", async () => {
    const isNoted = async (nextAt: number, withFollowUp = false) => {
      const { workspaceId } = await storedLane([
        [FIRST, { nextAt }],
        [BESIDE, { nextAt: NOW }],
        [SECOND, ENDED],
      ]);
      const noted: boolean[] = [];
      const own = publisherWith(workspaceId, {
        answer: () => {
          noted.push(own.storage.values.has("begun"));
          return sent();
        },
      });
      if (withFollowUp) await own.publisher.followUp(own.lane, { kind: "verify", channel: "ch_9", posts: ["post_9"] });
      await own.ring();
      expect(own.storage.values.has("begun")).toBe(false);
      return noted;
    };
    expect(await isNoted(NOW - 999)).toEqual([false, false]);
    expect(await isNoted(NOW - 1_000)).toEqual([true, true]);
    expect(await isNoted(NOW, true)).toEqual([true, true]);
  });

  it("without the parts of a publisher is tried again in ten seconds", async () => {
    const { workspaceId } = await storedLane();
    const { storage, lane } = publisherWith(workspaceId);
    const logs = collectLogs();
    const publisher = new Publisher(storage, () => {
      throw new Error("a binding is missing");
    });
    await publisher.arm(lane, NOW);
    await storage.deleteAlarm();
    await publisher.alarm();
    expect([storage.alarmAt, publisher.isAtWork]).toEqual([NOW + 10_000, false]);
    expect(logs).toMatchObject([{ event: "publisher_failed", error: "Error: a binding is missing" }]);
  });

  it("whose alarm cannot be set again says so", async () => {
    const { workspaceId } = await storedLane([
      [FIRST, { nextAt: NOW + 5 * MINUTE }],
      [SECOND, ENDED],
    ]);
    const own = publisherWith(workspaceId, { storage: memoryStorage() });
    const { logs, storage } = own;
    await own.publisher.arm(own.lane, NOW);
    await storage.deleteAlarm();
    storage.setAlarm = () => Promise.reject(new Error("the storage is gone"));
    await own.publisher.alarm();
    expect(logs).toEqual([{ level: "error", event: "alarm_not_set", error: "Error: the storage is gone" }]);
    expect(own.publisher.isAtWork).toBe(false);
  });
});

describe("a channel", () => {
  it("stops at a database that is away, which counts as no failure of its delivery", async () => {
    const { workspaceId } = await storedLane([[BESIDE, ENDED]]);
    const calls: unknown[] = [];
    const { ring, storage } = publisherWith(workspaceId, { outside: { seal: failingSeal(new DatabaseAway(), calls) } });
    await ring();
    expect([storage.alarmAt, calls.length]).toEqual([NOW + 10_000, 1]);
    expect(storage.values.has("failures")).toBe(false);
  });

  it("waits for the day's allowance, which counts as no failure of its delivery", async () => {
    const { workspaceId } = await storedLane([[BESIDE, ENDED]]);
    const calls: unknown[] = [];
    const used = new Error("Exceeded allowed duration in Durable Objects free tier.");
    const { ring, storage } = publisherWith(workspaceId, { outside: { seal: failingSeal(used, calls) } });
    await ring();
    expect([storage.alarmAt, calls.length]).toEqual([NOW + 10 * MINUTE, 1]);
    expect(storage.values.has("failures")).toBe(false);
  });

  it("whose delivery somebody else writes again and again waits five seconds", async () => {
    const { workspaceId, change, states, connectAnew } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    let times = 0;
    const unseal: typeof seal.unseal = async (...sealed) => {
      times++;
      // A credential is unsealed again once its channel has been connected anew.
      await connectAnew("ch_1", `credential ${times}`);
      await change(FIRST, { version: 9 + times });
      return seal.unseal(...sealed);
    };
    const { ring, calls, storage } = publisherWith(workspaceId, { outside: { seal: { ...seal, unseal } } });
    await ring();
    expect([calls, times, (await states())[0], storage.alarmAt]).toEqual([[], 2, "pending", NOW + 5_000]);
  });

  it("goes on ten seconds after a failure behind the writing of a delivery", async () => {
    const { workspaceId, states } = await storedLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const row = { workspaceId, id: "wh_1", url: "https://hooks.example", secret: "sealed", createdAt: 0 };
    await db.insert(webhooks).values({ ...row, events: ["delivery.succeeded"] });
    const wake = () => {
      throw new Error("a fault of our own");
    };
    const { ring, storage, logs } = publisherWith(workspaceId, { outside: { webhooks: { wake } } });
    await ring();
    expect([(await states())[0], storage.alarmAt]).toEqual(["live", NOW + 10_000]);
    expect(logs).toMatchObject([{ event: "delivery_failed", error: "Error: a fault of our own" }]);
  });
});
