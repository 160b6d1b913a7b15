// Slots: the weekly times, on a workspace's clock, for posts that ask for the next free slot.
import * as PlainDate from "temporal-polyfill/fns/PlainDate";
import * as PlainDateTime from "temporal-polyfill/fns/PlainDateTime";
import * as ZonedDateTime from "temporal-polyfill/fns/ZonedDateTime";
import { wallInstant, zonedAt } from "./instant.ts";
import { DAY_MS, MINUTE_MS } from "./limits.ts";

export interface Slot {
  /** Monday is 1, Sunday 7. */
  weekday: number;
  /** On the workspace's clock: `09:30`. */
  time: string;
  /** null: every channel. */
  channels: string[] | null;
}

/** Whether a post for all of `channels` can be published in a slot. */
export function serves(slot: Slot, channels: readonly string[]): boolean {
  const { channels: served } = slot;
  return served === null || channels.every((id) => served.includes(id));
}

/** The slots in the order of the week. */
export function inWeek(slots: readonly Slot[]): Slot[] {
  return [...slots].sort((a, b) => a.weekday - b.weekday || a.time.localeCompare(b.time, "en"));
}

/**
 * The instants of slots from `from` to `until` (epoch milliseconds, both included), ascending, each once. A time that the
 * clocks skip has no instant that day; a time that they show twice is the first of the two.
 */
export function* slotInstants(
  slots: readonly Slot[],
  timezone: string,
  { from, until }: { from: number; until: number },
): Generator<number, void> {
  const minutesOf = new Map<number, number[]>();
  for (const { weekday, time } of inWeek(slots)) {
    const minutes = minutesOf.get(weekday) ?? [];
    const [hour = 0, minute = 0] = time.split(":").map(Number);
    if (minutes.at(-1) !== hour * 60 + minute) minutes.push(hour * 60 + minute);
    minutesOf.set(weekday, minutes);
  }
  if (minutesOf.size === 0) return;
  let date = ZonedDateTime.toPlainDate(zonedAt(from, timezone));
  let start = getStartOfDay(date, timezone);
  while (start <= until) {
    const next = PlainDate.addDays(date, 1);
    const end = getStartOfDay(next, timezone);
    for (const minute of minutesOf.get(PlainDate.dayOfWeek(date)) ?? []) {
      // The clock only jumps on a day that is shorter or longer than others.
      const slotAt = end - start === DAY_MS ? start + minute * MINUTE_MS : shownAt(date, minute, timezone);
      if (slotAt !== null && slotAt >= from && slotAt <= until) yield slotAt;
    }
    [date, start] = [next, end];
  }
}

function getStartOfDay(date: PlainDate.Record, timezone: string): number {
  return PlainDate.toZonedDateTime(date, timezone).epochMilliseconds;
}

/** The first instant at which the clock shows this minute of the day; null if it never does. */
function shownAt(date: PlainDate.Record, minute: number, timezone: string): number | null {
  const wall = PlainDateTime.create(date.year, date.month, date.day, Math.floor(minute / 60), minute % 60);
  return wallInstant(wall, timezone);
}
