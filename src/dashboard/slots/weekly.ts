// The weekly slots as a list: adding, moving, and their positions in a day.
import type { Body } from "../../client/client.ts";
import { computeTop, DAY_MINUTES, toMinute } from "../calendar/places.ts";

export type Slot = Body<"slots.set">["slots"][number];

export const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"] as const;
export const WEEKDAYS: readonly number[] = [1, 2, 3, 4, 5];
export const EVERY_DAY: readonly number[] = [1, 2, 3, 4, 5, 6, 7];

/** Slots with the same key are duplicates, which the service refuses. */
export const getKey = ({ weekday, time, channels }: Slot): string =>
  JSON.stringify([weekday, time, channels === null ? null : [...channels].sort()]);

export const describeSlot = ({ weekday, time }: Slot): string => `${DAYS[weekday - 1] ?? ""}, ${time}`;

/** The slots with more slots, without duplicates. */
export function withSlots(slots: readonly Slot[], more: readonly Slot[]): Slot[] {
  const byKey = new Map([...slots, ...more].map((slot) => [getKey(slot), slot]));
  return [...byKey.values()];
}

/** The slots with one of them changed. Nothing else moves if the change makes it equal to another one. */
export const withChange = (slots: readonly Slot[], changed: Slot, next: Slot): Slot[] =>
  withSlots(
    slots.filter((slot) => getKey(slot) !== getKey(changed)),
    [next],
  );

export interface PlacedSlot {
  slot: Slot;
  /** Shares of the day's height and width. */
  top: number;
  left: number;
  width: number;
}

/** The minutes that a slot's height covers. */
const SHOWN_MINUTES = 30;

/** The slots of one day, side by side where they would cover each other. */
export function placeSlots(slots: readonly Slot[]): PlacedSlot[] {
  const sorted = slots.toSorted((first, second) => toMinute(first.time) - toMinute(second.time));
  const groups: Slot[][] = [];
  let ends = -1;
  for (const slot of sorted) {
    const begins = computeTop(toMinute(slot.time));
    if (begins < ends) groups.at(-1)?.push(slot);
    else groups.push([slot]);
    ends = begins + SHOWN_MINUTES;
  }
  return groups.flatMap((group) =>
    group.map((slot, i) => ({
      slot,
      top: computeTop(toMinute(slot.time)) / DAY_MINUTES,
      left: i / group.length,
      width: 1 / group.length,
    })),
  );
}
