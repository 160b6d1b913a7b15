import { beforeEach, expect, it, vi } from "vitest";
import { Alarm } from "../../../src/publisher/alarm.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

/** The time at which the tests begin. */
const NOW = 100;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW });
  return () => void vi.useRealTimers();
});

it("an alarm is only moved to an earlier time, even by simultaneous calls", async () => {
  const storage = memoryStorage();
  const alarm = new Alarm(storage);
  await Promise.all([500, 300, 400, 300.2].map((instant) => alarm.setBy(instant)));
  expect(storage.alarmAt).toBe(300);
  await alarm.setBy(900);
  expect(storage.alarmAt).toBe(300);
  await alarm.setBy(100.4);
  expect(storage.alarmAt).toBe(101);
});

it("an alarm can be set after a write that failed", async () => {
  const storage = memoryStorage();
  let fails = true;
  const alarm = new Alarm({
    ...storage,
    setAlarm: async (instant) => {
      if (fails) throw new Error("storage is away");
      await storage.setAlarm(instant);
    },
  });
  await expect(alarm.setBy(300)).rejects.toThrow("storage is away");
  fails = false;
  await alarm.setBy(400);
  expect(storage.alarmAt).toBe(400);
});

it("an alarm that should have fired more than ten seconds ago is set again, for now", async () => {
  const storage = memoryStorage();
  const alarm = new Alarm(storage);
  await alarm.setBy(NOW);
  const setAgainAt = async (now: number, instant: number) => {
    vi.setSystemTime(now);
    await alarm.setBy(instant);
    return storage.alarmAt;
  };
  // The alarm may be about to fire.
  expect(await setAgainAt(NOW + 10_001, NOW + 10_001)).toBe(NOW + 1);
  // The new instant is tomorrow, but the work for which the alarm was set is already due.
  expect(await setAgainAt(NOW + 10_002, NOW + 86_400_000)).toBe(NOW + 10_003);
  expect(await setAgainAt(NOW + 30_000, NOW + 30_000)).toBe(NOW + 30_001);
});
