// The week by minutes: where an entry is in its day, and what time a place of a day has.
import { atMost, type Entry } from "./entries.ts";

export const DAY_MINUTES = 1_440;
/** As long as an entry is high. */
const SHOWN_MINUTES = 30;
/** What a drag goes by. */
const STEP_MINUTES = 15;

const two = (number: number) => String(number).padStart(2, "0");
export const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5));
const timeOf = (minute: number): string => `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00`;

/** Where an entry begins: the last ones of a day are shown whole. */
export const topOf = (minute: number): number => Math.min(minute, DAY_MINUTES - SHOWN_MINUTES);

/**
 * The time of an entry that is dragged down by this share of a day, or up: full quarters of an hour, within the day. One that
 * is moved by less keeps its time to the second.
 */
export function timeAfter(shift: number, time: string): string {
  const moved = Math.round((shift * DAY_MINUTES) / STEP_MINUTES) * STEP_MINUTES;
  if (moved === 0) return time;
  const minute = Math.round((minuteOf(time) + moved) / STEP_MINUTES) * STEP_MINUTES;
  return timeOf(Math.min(Math.max(minute, 0), DAY_MINUTES - STEP_MINUTES));
}

/** The half hour that a place of a day is in. */
export const timeIn = (share: number): string =>
  timeOf(Math.min(Math.max(Math.floor((share * DAY_MINUTES) / SHOWN_MINUTES), 0), 47) * SHOWN_MINUTES);

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
 * Places the entries of a day: at most `beside` at one time beside each other. Where more overlap, those that begin within half
 * an hour stand at the time of the first, and the last of them is a button that leads to the others.
 */
export function place(entries: readonly Entry[], beside: number): { placed: Placed[]; more: More[] } {
  const placed: Placed[] = [];
  const more: More[] = [];
  for (const group of overlapping(entries)) {
    const columns: Entry[][] = [];
    for (const entry of group) {
      const begins = topOf(minuteOf(entry.time));
      const free = columns.find((column) => {
        const last = column.at(-1);
        return last !== undefined && topOf(minuteOf(last.time)) + SHOWN_MINUTES <= begins;
      });
      if (free === undefined) columns.push([entry]);
      else free.push(entry);
    }
    if (columns.length <= beside) {
      columns.forEach((column, i) => {
        for (const entry of column)
          placed.push({
            entry,
            top: topOf(minuteOf(entry.time)) / DAY_MINUTES,
            left: i / columns.length,
            width: 1 / columns.length,
          });
      });
      continue;
    }
    for (const crowd of crowdsOf(group)) {
      const { shown, rest } = atMost(crowd.length > beside ? beside - 1 : beside, crowd);
      const across = shown.length + (rest.length > 0 ? 1 : 0);
      const top = topOf(minuteOf(crowd[0]?.time ?? "00:00"));
      shown.forEach((entry, i) => {
        placed.push({ entry, top: top / DAY_MINUTES, left: i / across, width: 1 / across });
      });
      if (rest.length > 0) more.push({ rest, top: top / DAY_MINUTES, left: shown.length / across, width: 1 / across });
    }
  }
  return { placed, more };
}

/** Entries of which each begins before one before it ends. */
function overlapping(entries: readonly Entry[]): Entry[][] {
  const groups: Entry[][] = [];
  let ends = -1;
  for (const entry of entries) {
    const begins = topOf(minuteOf(entry.time));
    if (begins < ends) groups.at(-1)?.push(entry);
    else groups.push([entry]);
    ends = begins + SHOWN_MINUTES;
  }
  return groups;
}

/** Parts of such a group: all that begin while the first of the part is shown. */
function crowdsOf(entries: readonly Entry[]): Entry[][] {
  const crowds: Entry[][] = [];
  let ends = -1;
  for (const entry of entries) {
    const begins = topOf(minuteOf(entry.time));
    if (begins < ends) crowds.at(-1)?.push(entry);
    else {
      crowds.push([entry]);
      ends = begins + SHOWN_MINUTES;
    }
  }
  return crowds;
}
