// Days as dates without a zone (`2026-12-01`), and the clock that maps an instant to its day.
import { getReaderLocale } from "../words/locale.ts";

const DAY_MS = 86_400_000;
const toDayStart = (date: string) => new Date(`${date}T00:00:00Z`);
const formatDate = (start: Date) => start.toISOString().slice(0, 10);

export const isDate = (text: string): boolean =>
  /^[1-9]\d{3}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(toDayStart(text).getTime()) &&
  formatDate(toDayStart(text)) === text;

export const dayAfter = (date: string, days: number): string =>
  formatDate(new Date(toDayStart(date).getTime() + days * DAY_MS));

/** The first day of a later month, or of an earlier one if the count is negative. */
export function monthAfter(date: string, months: number): string {
  const start = toDayStart(date);
  return formatDate(new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + months, 1)));
}

export const isSameMonth = (first: string, second: string): boolean => first.slice(0, 7) === second.slice(0, 7);

const getMonday = (date: string) => dayAfter(date, -((toDayStart(date).getUTCDay() + 6) % 7));

const daysFrom = (first: string, count: number) => Array.from({ length: count }, (_, i) => dayAfter(first, i));

export const listWeekDays = (date: string): string[] => daysFrom(getMonday(date), 7);

export const listMonthDays = (date: string): string[] => {
  const first = monthAfter(date, 0);
  return daysFrom(first, (toDayStart(monthAfter(date, 1)).getTime() - toDayStart(first).getTime()) / DAY_MS);
};

/** A month's weeks, with the adjacent days that complete the first and the last week. */
export function listWeeks(date: string): string[][] {
  const weeks: string[][] = [];
  const end = monthAfter(date, 1);
  for (let monday = getMonday(monthAfter(date, 0)); monday < end; monday = dayAfter(monday, 7))
    weeks.push(listWeekDays(monday));
  return weeks;
}

/** The names of days and times, as the reader writes them. They are kept, because a month needs each many times. */
function makeNames(locale: string) {
  const make = (parts: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...parts, timeZone: "UTC" });
    const names = new Map<string, string>();
    return (date: string): string => {
      const name = names.get(date) ?? format.format(toDayStart(date));
      names.set(date, name);
      return name;
    };
  };
  const day = { day: "numeric", month: "short" } as const;
  const longDay = { weekday: "long", day: "numeric", month: "long" } as const;
  return {
    weekday: make({ weekday: "short" }),
    longWeekday: make({ weekday: "long" }),
    number: make(day),
    day: make({ weekday: "short", ...day }),
    longDay: make(longDay),
    dayOfYear: make({ ...longDay, year: "numeric" }),
    month: make({ month: "long", year: "numeric" }),
    range: new Intl.DateTimeFormat(locale, { ...day, year: "numeric", timeZone: "UTC" }),
    time: new Intl.DateTimeFormat(locale, { hour: "numeric", minute: "2-digit", timeZone: "UTC" }),
  };
}
let names: ReturnType<typeof makeNames> | undefined;
const getNames = () => {
  names ??= makeNames(getReaderLocale());
  return names;
};
/** "Tuesday" */
export const longWeekdayName = (date: string): string => getNames().longWeekday(date);
/** "Tue" */
export const weekdayName = (date: string): string => getNames().weekday(date);
/** "Dec 8" */
export const numberName = (date: string): string => getNames().number(date);
/** "Tue, Dec 8" */
export const dayName = (date: string): string => getNames().day(date);
/** "Tuesday, December 8" */
export const longDayName = (date: string): string => getNames().longDay(date);
/** "Tuesday, December 8, 2026" */
export const dayOfYearName = (date: string): string => getNames().dayOfYear(date);
/** "December 2026" */
export const monthName = (date: string): string => getNames().month(date);
/** "Dec 7 – 13, 2026" */
export const rangeName = (first: string, last: string): string =>
  getNames().range.formatRange(toDayStart(first), toDayStart(last));

interface TimeName {
  /** "9:30", or "09:30" */
  clock: string;
  /** "AM" or "PM", or nothing on a clock of 24 hours. */
  period: string;
}
const times = new Map<string, TimeName>();
/** The name of a time of day, such as `09:30` or `09:30:05`. */
export function timeName(time: string): TimeName {
  const minute = time.slice(0, 5);
  const knownName = times.get(minute);
  if (knownName !== undefined) return knownName;
  const parts = getNames().time.formatToParts(new Date(`2026-01-01T${minute}:00Z`));
  const isPeriod = ({ type }: Intl.DateTimeFormatPart) => type === "dayPeriod";
  const join = (some: Intl.DateTimeFormatPart[]) =>
    some
      .map(({ value }) => value)
      .join("")
      .trim();
  const name = { clock: join(parts.filter((part) => !isPeriod(part))), period: join(parts.filter(isPeriod)) };
  times.set(minute, name);
  return name;
}
/** "9:30 AM", or "09:30" */
export const formatTime = (time: string): string => {
  const { clock, period } = timeName(time);
  return period === "" ? clock : `${clock} ${period}`;
};

type Clock = (instant: number) => string;
const clocks = new Map<string, Clock>();

/** The local time of an instant in a zone: `2026-12-01T09:30:05`. */
export function wallClock(timeZone: string): Clock {
  const clock = clocks.get(timeZone) ?? makeClock(timeZone);
  clocks.set(timeZone, clock);
  return clock;
}

/**
 * A formatter is slow for a thousand instants. If a zone has the same UTC offset at the start and the end of a UTC day, that
 * offset applies all day; otherwise the formatter is used.
 */
function makeClock(timeZone: string): Clock {
  const format = new Intl.DateTimeFormat("en-GB", {
    ...({ year: "numeric", month: "2-digit", day: "2-digit" } as const),
    ...({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const),
    timeZone,
  });
  const readClock: Clock = (instant) => {
    // 01/12/2026, 09:30:05
    const [, day, month, year, time] = /^(\d\d)\/(\d\d)\/(\d{4}), (.{8})$/.exec(format.format(instant)) ?? [];
    return `${year}-${month}-${day}T${time}`;
  };
  const ahead = new Map<number, number>();
  const aheadAt = (midnight: number): number => {
    const aheadMs = ahead.get(midnight) ?? Date.parse(`${readClock(midnight)}Z`) - midnight;
    ahead.set(midnight, aheadMs);
    return aheadMs;
  };
  return (instant) => {
    const midnight = Math.floor(instant / DAY_MS) * DAY_MS;
    const aheadMs = aheadAt(midnight);
    if (aheadMs !== aheadAt(midnight + DAY_MS)) return readClock(instant);
    return new Date(instant + aheadMs).toISOString().slice(0, 19);
  };
}
