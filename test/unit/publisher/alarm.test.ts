import { expect, it } from "vitest";
import { Alarm } from "../../../src/publisher/alarm.ts";
import { memoryStorage } from "../../support/memory-storage.ts";

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
