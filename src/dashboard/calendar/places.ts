// The week by minutes: the position of an entry in its day, and the time at a position.
import { atMost, type Entry } from "./entries.ts";

export const DAY_MINUTES = 1_440;
/** The minutes that an entry's height covers. */
const SHOWN_MINUTES = 30;
/** The step of a drag. */
const STEP_MINUTES = 15;

const two = (number: number) => String(number).padStart(2, "0");
export const toMinute = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const formatTime = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00`;

/** The position where an entry begins. The last entries of a day move up so that they are fully visible. */
export const computeTop = (minute: number): number => Math.min(minute, DAY_MINUTES - SHOWN_MINUTES);

/**
 * The time of an entry after a drag up or down by this share of a day: full quarters of an hour, within the day. After a
 * shorter drag the entry keeps its time to the second.
 */
export function timeAfter(shift: number, time: string): string {
  const moved = Math.round((shift * DAY_MINUTES) / STEP_MINUTES) * STEP_MINUTES;
  if (moved === 0) return time;
  const minute = Math.round((toMinute(time) + moved) / STEP_MINUTES) * STEP_MINUTES;
  return formatTime(Math.min(Math.max(minute, 0), DAY_MINUTES - STEP_MINUTES));
}

/** The half hour at a position in a day. */
export const timeIn = (share: number): string =>
  formatTime(Math.min(Math.max(Math.floor((share * DAY_MINUTES) / SHOWN_MINUTES), 0), 47) * SHOWN_MINUTES);

export interface Placed {
  entry: Entry;
  /** Shares of the day's height and width. */
  top: number;
  left: number;
  width: number;
}
export interface More {
  rest: readonly Entry[];
  top: number;
  left: number;
  width: number;
}

/**
 * Lays out the entries of a day, with at most `beside` entries side by side. If more entries overlap, all entries that begin
 * within half an hour are shown at the time of the first entry, and a button in the last column leads to the hidden entries.
 */
export function place(entries: readonly Entry[], beside: number): { placed: Placed[]; more: More[] } {
  const placed: Placed[] = [];
  const overflow: More[] = [];
  for (const group of overlapping(entries)) {
    const columns: Entry[][] = [];
    for (const entry of group) {
      const begins = computeTop(toMinute(entry.time));
      const free = columns.find((column) => {
        const last = column.at(-1);
        return last !== undefined && computeTop(toMinute(last.time)) + SHOWN_MINUTES <= begins;
      });
      if (free === undefined) columns.push([entry]);
      else free.push(entry);
    }
    if (columns.length <= beside) {
      columns.forEach((column, i) => {
        for (const entry of column)
          placed.push({
            entry,
            top: computeTop(toMinute(entry.time)) / DAY_MINUTES,
            left: i / columns.length,
            width: 1 / columns.length,
          });
      });
      continue;
    }
    for (const crowd of groupCrowds(group)) {
      const { shown, rest } = atMost(crowd.length > beside ? beside - 1 : beside, crowd);
      const across = shown.length + (rest.length > 0 ? 1 : 0);
      const top = computeTop(toMinute(crowd[0]?.time ?? "00:00"));
      shown.forEach((entry, i) => {
        placed.push({ entry, top: top / DAY_MINUTES, left: i / across, width: 1 / across });
      });
      if (rest.length > 0)
        overflow.push({ rest, top: top / DAY_MINUTES, left: shown.length / across, width: 1 / across });
    }
  }
  return { placed, more: overflow };
}

/** Groups of entries. In a group, each entry begins before an earlier entry ends. */
function overlapping(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  let ends = -1;
  for (const entry of entries) {
    const begins = computeTop(toMinute(entry.time));
    if (begins < ends) groups.at(-1)?.push(entry);
    else groups.push([entry]);
    ends = begins + SHOWN_MINUTES;
  }
  return groups;
}

/** Splits a group of overlapping entries. An entry belongs to a subgroup if it begins before the subgroup's first entry ends. */
function groupCrowds(entries: readonly Entry[]): Entry[][] {
  const crowds: Entry[][] = [];
  let ends = -1;
  for (const entry of entries) {
    const begins = computeTop(toMinute(entry.time));
    if (begins < ends) crowds.at(-1)?.push(entry);
    else {
      crowds.push([entry]);
      ends = begins + SHOWN_MINUTES;
    }
  }
  return crowds;
}
