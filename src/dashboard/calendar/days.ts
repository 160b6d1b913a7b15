// Days as dates without a zone (`2026-12-01`), and the clock that maps an instant to its day.
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

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = "January February March April May June July August September October November December".split(" ");
const number = (date: string) => Number(date.slice(8));
export const longWeekdayName = (date: string): string => WEEKDAYS[toDayStart(date).getUTCDay()] ?? "";
export const weekdayName = (date: string): string => longWeekdayName(date).slice(0, 3);
const longMonthName = (date: string) => MONTHS[Number(date.slice(5, 7)) - 1] ?? "";
/** "8 Dec" */
export const numberName = (date: string): string => `${number(date)} ${longMonthName(date).slice(0, 3)}`;
/** "Tue 8 Dec" */
export const dayName = (date: string): string => `${weekdayName(date)} ${numberName(date)}`;
/** "Tuesday 8 December" */
export const longDayName = (date: string): string => `${longWeekdayName(date)} ${number(date)} ${longMonthName(date)}`;
/** "December 2026" */
export const monthName = (date: string): string => `${longMonthName(date)} ${date.slice(0, 4)}`;

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
