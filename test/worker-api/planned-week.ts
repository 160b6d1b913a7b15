// A week with slots, and its next free slots.
import { expect } from "vitest";
import { call, connect, signUp } from "../support/world.ts";

export interface Slot {
  weekday: number;
  time: string;
  channels: string[] | null;
}
export interface NextSlots {
  slots: { at: string; at_local: string }[];
}

const EVERY_DAY = Array.from({ length: 7 }, (_, i) => i + 1);
export const dailySlots = (time: string, channels: string[] | null = null): Slot[] =>
  EVERY_DAY.map((weekday) => ({ weekday, time, channels }));
export const putSlots = (key: string, slots: unknown) =>
  call<{ slots: Slot[] }>("PUT", "/v1/slots", { token: key, body: { slots } });

/** Lists the times of the next free slots of all these channels. */
export async function listNextSlots(key: string, channels: string[], count?: number): Promise<string[]> {
  const path = `/v1/slots/next?channels=${channels.join(",")}${count === undefined ? "" : `&count=${count}`}`;
  const answer = await call<NextSlots>("GET", path, { token: key });
  expect(answer.status).toBe(200);
  return answer.body.slots.map((slot) => slot.at);
}

const HOUR_MS = 3_600_000;
/** The time of day in UTC that many hours from now. Slots are hours away, so that none passes while a test runs. */
export const inHours = (hours: number): string => new Date(Date.now() + hours * HOUR_MS).toISOString().slice(11, 16);

/** The times of day of the slots of `openPlannedWeek`. */
export const PLANNED_TIMES = [inHours(6), inHours(14)];

/** Opens a workspace with a channel and slots twice a day. */
export async function openPlannedWeek() {
  const account = await signUp();
  const { id: channel } = await connect(account.key, "telegram");
  expect(
    (
      await putSlots(
        account.key,
        PLANNED_TIMES.flatMap((time) => dailySlots(time)),
      )
    ).status,
  ).toBe(200);
  return { ...account, channel };
}
