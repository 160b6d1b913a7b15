// The waits of a publisher, work that outlasts its piece of work, and work that is left for the next alarm.
import { describe, expect, it } from "vitest";
import { DatabaseAway } from "../../../src/domain/database-fault.ts";
import type { LastTry } from "../../../src/domain/delivery/stored-facts.ts";
import { Publisher } from "../../../src/publisher/publisher.ts";
import { webhooks } from "../../../src/store/db/schema.ts";
import { collectLogs } from "../../support/logs.ts";
import { memoryStorage } from "../../support/memory-storage.ts";
import { seal } from "../../support/node-context.ts";
import { db, MINUTE, NOW } from "../store/deliveries/stored-delivery.ts";
import {
  answerSent,
  answerTooFast,
  BESIDE,
  FIRST,
  makeMovingClock,
  makePublisher,
  SECOND,
  storeLane,
} from "./lane-of-telegram.ts";

const ENDED = { state: "cancelled", nextAt: null } as const;
const REFUSED_THRICE: LastTry = { retries: 3, error: "network_quota", detail: null, networkMessage: null };
const makeFailingSeal = (error: Error, calls: unknown[] = []) => ({
  ...seal,
  unseal: async (...sealed: unknown[]) => {
    calls.push(sealed);
    throw error;
  },
});

describe("an alarm without due work", () => {
  const storeSingle = (nextAt: number) =>
    storeLane([
      [FIRST, { nextAt }],
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);

  it("an alarm without due work waits for deliveries that are due within two seconds", async () => {
    const soon = await storeSingle(NOW + 2_000);
    const waitingPublisher = makePublisher(soon.workspaceId, { outside: makeMovingClock() });
    await waitingPublisher.ring();
    expect([(await soon.states())[0], waitingPublisher.storage.alarmAt]).toEqual(["live", null]);
    const later = await storeSingle(NOW + 2_001);
    const leavingPublisher = makePublisher(later.workspaceId, { outside: makeMovingClock() });
    await leavingPublisher.ring();
    expect([(await later.states())[0], leavingPublisher.storage.alarmAt]).toEqual(["pending", NOW + 2_001]);
  });

  it("an alarm does not wait for later deliveries once it has published one", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, { nextAt: NOW + 1_000 }],
      [SECOND, ENDED],
    ]);
    const { ring, storage } = makePublisher(workspaceId);
    await ring();
    expect([await states(), storage.alarmAt]).toEqual([["live", "pending", "cancelled"], NOW + 1_000]);
  });

  it("an alarm whose wait fails is set again, and its start counts as ended", async () => {
    const { workspaceId } = await storeSingle(NOW + 1_000);
    const storage = memoryStorage(new Map<string, unknown>([["begun", { starts: 1, alone: null, ends: {} }]]));
    const pause = () => Promise.reject(new Error("a fault of our own"));
    const { ring } = makePublisher(workspaceId, { storage, outside: { pause } });
    await ring();
    expect([storage.alarmAt, storage.values.has("begun")]).toEqual([NOW + 10_000, false]);
  });
});

describe("a publisher at work", () => {
  it("the next alarm of a channel is at the end of its network's wait", async () => {
    const { workspaceId, read } = await storeLane([
      [FIRST, { state: "retry_wait", lastTry: REFUSED_THRICE }],
      [BESIDE, ENDED],
    ]);
    const { ring, storage, calls } = makePublisher(workspaceId, { answer: () => answerTooFast(60) });
    await ring();
    expect(calls).toEqual(["ch_1"]);
    // The refused delivery waits longer, because it was refused before.
    expect((await read(FIRST))?.nextAt).toBeGreaterThan(NOW + MINUTE);
    expect(storage.alarmAt).toBe(NOW + MINUTE);
  });

  it("a delivery that becomes due begins while another channel is busy", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, { nextAt: NOW + 30_000 }],
      [SECOND, ENDED],
    ]);
    const began = Promise.withResolvers<void>();
    const { ring } = makePublisher(workspaceId, {
      outside: makeMovingClock(),
      answer: async (chat) => {
        if (chat === "ch_1") await began.promise;
        else began.resolve();
        return answerSent();
      },
    });
    await ring();
    await expect.poll(states).toEqual(["live", "live", "cancelled"]);
  });

  it("the next alarm is set to the instant for which the publisher was armed during its work", async () => {
    const { workspaceId } = await storeLane([[SECOND, ENDED]]);
    const lanePublisher = makePublisher(workspaceId, {
      answer: async () => {
        await lanePublisher.publisher.arm(lanePublisher.lane, NOW + MINUTE);
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect(lanePublisher.storage.alarmAt).toBe(NOW + MINUTE);
  });

  it("a call may outlast its piece of work, and the channel's next delivery waits for the next alarm", async () => {
    const { workspaceId, states } = await storeLane([[BESIDE, ENDED]]);
    const hanging = Promise.withResolvers<void>();
    const lanePublisher = makePublisher(workspaceId, {
      outside: makeMovingClock(),
      answer: async () => {
        await hanging.promise;
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect([lanePublisher.publisher.isAtWork, lanePublisher.storage.alarmAt]).toEqual([true, NOW + MINUTE]);
    hanging.resolve();
    await expect.poll(() => lanePublisher.publisher.isAtWork).toBe(false);
    expect(await states()).toEqual(["live", "cancelled", "pending"]);
    await lanePublisher.ring();
    expect(await states()).toEqual(["live", "cancelled", "live"]);
    expect(lanePublisher.calls).toHaveLength(2);
  });

  it("work that has used up its invocation continues in the invocation of the next alarm", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const lanePublisher = makePublisher(workspaceId, {
      limits: { fetches: 1, statements: 1_000 },
      answer: async () => {
        for (let call = 0; call < 2; call++) await lanePublisher.allowance()?.take("fetches", 1);
        return answerSent();
      },
    });
    await lanePublisher.ring();
    expect([(await states())[0], lanePublisher.publisher.isAtWork]).toEqual(["sending", true]);
    await expect.poll(() => lanePublisher.storage.alarmAt).toBe(NOW + 1);
    await lanePublisher.storage.deleteAlarm();
    await lanePublisher.publisher.alarm();
    expect([(await states())[0], lanePublisher.publisher.isAtWork]).toEqual(["live", false]);
    expect(lanePublisher.contexts()).toBe(1);
  });
});

describe("a start", () => {
  it("a start is recorded only if its work is a second late or has follow-ups", async () => {
    const isNoted = async (nextAt: number, withFollowUp = false) => {
      const { workspaceId } = await storeLane([
        [FIRST, { nextAt }],
        [BESIDE, { nextAt: NOW }],
        [SECOND, ENDED],
      ]);
      const noted: boolean[] = [];
      const lanePublisher = makePublisher(workspaceId, {
        answer: () => {
          noted.push(lanePublisher.storage.values.has("begun"));
          return answerSent();
        },
      });
      if (withFollowUp)
        await lanePublisher.publisher.followUp(lanePublisher.lane, {
          kind: "after_publish",
          channel: "ch_9",
          posts: ["post_9"],
        });
      await lanePublisher.ring();
      expect(lanePublisher.storage.values.has("begun")).toBe(false);
      return noted;
    };
    expect(await isNoted(NOW - 999)).toEqual([false, false]);
    expect(await isNoted(NOW - 1_000)).toEqual([true, true]);
    expect(await isNoted(NOW, true)).toEqual([true, true]);
  });

  it("a start that cannot make its context is retried after ten seconds", async () => {
    const { workspaceId } = await storeLane();
    const { storage, lane } = makePublisher(workspaceId);
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

  it("a start whose next alarm cannot be set is logged", async () => {
    const { workspaceId } = await storeLane([
      [FIRST, { nextAt: NOW + 5 * MINUTE }],
      [SECOND, ENDED],
    ]);
    const lanePublisher = makePublisher(workspaceId, { storage: memoryStorage() });
    const { logs, storage } = lanePublisher;
    await lanePublisher.publisher.arm(lanePublisher.lane, NOW);
    await storage.deleteAlarm();
    storage.setAlarm = () => Promise.reject(new Error("the storage is gone"));
    await lanePublisher.publisher.alarm();
    expect(logs).toEqual([{ level: "error", event: "alarm_not_set", error: "Error: the storage is gone" }]);
    expect(lanePublisher.publisher.isAtWork).toBe(false);
  });
});

describe("a channel", () => {
  it("an unavailable database stops a channel, and does not count as a failure of the delivery", async () => {
    const { workspaceId } = await storeLane([[BESIDE, ENDED]]);
    const calls: unknown[] = [];
    const { ring, storage } = makePublisher(workspaceId, {
      outside: { seal: makeFailingSeal(new DatabaseAway(), calls) },
    });
    await ring();
    expect([storage.alarmAt, calls.length]).toEqual([NOW + 10_000, 1]);
    expect(storage.values.has("failures")).toBe(false);
  });

  it("a used-up daily allowance delays a channel, and does not count as a failure of the delivery", async () => {
    const { workspaceId } = await storeLane([[BESIDE, ENDED]]);
    const calls: unknown[] = [];
    const used = new Error("Exceeded allowed duration in Durable Objects free tier.");
    const { ring, storage } = makePublisher(workspaceId, { outside: { seal: makeFailingSeal(used, calls) } });
    await ring();
    expect([storage.alarmAt, calls.length]).toEqual([NOW + 10 * MINUTE, 1]);
    expect(storage.values.has("failures")).toBe(false);
  });

  it("a channel whose delivery is changed repeatedly during its preparation waits for five seconds", async () => {
    const { workspaceId, change, states, connectAnew } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    let times = 0;
    const unseal: typeof seal.unseal = async (...sealed) => {
      times++;
      // The credential is unsealed again because its channel has been reconnected.
      await connectAnew("ch_1", `credential ${times}`);
      await change(FIRST, { version: 9 + times });
      return seal.unseal(...sealed);
    };
    const { ring, calls, storage } = makePublisher(workspaceId, { outside: { seal: { ...seal, unseal } } });
    await ring();
    expect([calls, times, (await states())[0], storage.alarmAt]).toEqual([[], 2, "pending", NOW + 5_000]);
  });

  it("a channel continues after ten seconds if our own work fails after a delivery is written", async () => {
    const { workspaceId, states } = await storeLane([
      [BESIDE, ENDED],
      [SECOND, ENDED],
    ]);
    const row = { workspaceId, id: "wh_1", url: "https://hooks.example", secret: "sealed", createdAt: 0 };
    await db.insert(webhooks).values({ ...row, events: ["delivery.succeeded"] });
    const wake = () => {
      throw new Error("a fault of our own");
    };
    const { ring, storage, logs } = makePublisher(workspaceId, { outside: { webhooks: { wake } } });
    await ring();
    expect([(await states())[0], storage.alarmAt]).toEqual(["live", NOW + 10_000]);
    expect(logs).toMatchObject([{ event: "delivery_failed", error: "Error: a fault of our own" }]);
  });
});
