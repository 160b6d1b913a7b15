import { beforeEach, expect, it, vi } from "vitest";
import { Alarm } from "../../../src/publisher/alarm.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

/** When the tests begin. */
const NOW = 100;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  return () => void vi.useRealTimers();
});

it("an alarm is only ever moved nearer, by many at once too", async () => {
  const storage = memoryStorage();
  const alarm = new Alarm(storage);
  await Promise.all([500, 300, 400, 300.2].map((at) => alarm.setBy(at)));
  expect(storage.alarmAt).toBe(300);
  await alarm.setBy(900);
  expect(storage.alarmAt).toBe(300);
  await alarm.setBy(100.4);
  expect(storage.alarmAt).toBe(101);
});

it("a write that failed keeps nobody else from setting it", async () => {
  const storage = memoryStorage();
  let fails = true;
  const alarm = new Alarm({
    ...storage,
    setAlarm: async (at) => {
      if (fails) throw new Error("storage is away");
      await storage.setAlarm(at);
    },
  });
  await expect(alarm.setBy(300)).rejects.toThrow("storage is away");
  fails = false;
  await alarm.setBy(400);
  expect(storage.alarmAt).toBe(400);
});

it("an alarm that should have rung more than ten seconds ago is set anew, and for no later than now", async () => {
  const storage = memoryStorage();
  const alarm = new Alarm(storage);
  await alarm.setBy(NOW);
  const setAgainAt = async (now: number, at: number) => {
    vi.setSystemTime(now);
    await alarm.setBy(at);
    return storage.alarmAt;
  };
  // It may be about to ring.
  expect(await setAgainAt(NOW + 10_001, NOW + 10_001)).toBe(NOW + 1);
  // What is asked for may be due tomorrow: what the alarm was set for is due already.
  expect(await setAgainAt(NOW + 10_002, NOW + 86_400_000)).toBe(NOW + 10_003);
  expect(await setAgainAt(NOW + 30_000, NOW + 30_000)).toBe(NOW + 30_001);
});
