// Ranges of whole days, on the clock of a time zone. A day is a number, its date counted in days since 1970, so that days are
// added and compared without a calendar.
import { formatDate, isoInstant, startOfDate } from "./instant.ts";
import { DAY_MS, RANGE_DAYS_MAX } from "./limits.ts";
import { refuse } from "./refusal.ts";

export interface DateRange {
  firstDay: number;
  /** How many days the range has. */
  days: number;
  timezone: string;
}

/** The date of a day, as `2026-12-01`. */
export const toDate = (day: number): string => isoInstant(day * DAY_MS).slice(0, 10);
/** The first and the last date of a range. */
export const toDates = ({ firstDay, days }: DateRange) => ({ from: toDate(firstDay), to: toDate(firstDay + days - 1) });

/** The last UTC days until now, including the current day. */
export const lastDays = (days: number, now: number): DateRange => ({
  firstDay: Math.floor(now / DAY_MS) - days + 1,
  days,
  timezone: "UTC",
});

/** The range of the same length that ends on the day before this one begins. */
export const rangeBefore = (range: DateRange): DateRange => ({ ...range, firstDay: range.firstDay - range.days });

export const isInRange = (day: number, { firstDay, days }: DateRange): boolean =>
  day >= firstDay && day < firstDay + days;

/** The first instant of a range, and the first instant after it, in epoch milliseconds. */
export const getInstants = ({ firstDay, days, timezone }: DateRange) => ({
  from: startOfDay(firstDay, timezone),
  until: startOfDay(firstDay + days, timezone),
});

const startOfDay = (day: number, timezone: string) => startOfDate(toDate(day), timezone);

/** The first date that a range may have. */
const EARLIEST = "2000-01-01";

/** Reads the range from `from` to `to`, two dates; without `to`, it ends today. Throws `invalid_range`. */
export function readRange(
  { from, to }: { from: string; to: string | undefined },
  { timezone, now }: { timezone: string; now: number },
): DateRange {
  const today = readDay(formatDate(now, timezone));
  const firstDay = readDay(from);
  const lastDay = to === undefined ? Math.max(today, firstDay) : readDay(to);
  const days = lastDay - firstDay + 1;
  if (from < EARLIEST) throw refuseRange("/from", `\`from\` is before ${EARLIEST}.`);
  if (firstDay > today)
    throw refuseRange("/from", `\`from\` is in the future: today is ${toDate(today)} in ${timezone}.`);
  if (days < 1) throw refuseRange("/to", "`to` is before `from`.");
  if (days > RANGE_DAYS_MAX) {
    throw refuseRange("/to", `The range has ${days} days; at most ${RANGE_DAYS_MAX} are allowed.`);
  }
  return { firstDay, days, timezone };
}

const readDay = (date: string) => Math.floor(Date.parse(date) / DAY_MS);

/** The refusal of a range of dates. */
export const refuseRange = (field: string, message: string) => refuse("invalid_range", { field, message });

/** Consecutive days of 24 hours; only the last one may be longer or shorter, because the clocks are changed on it. */
export interface DayRun {
  /** Epoch milliseconds. */
  start: number;
  firstDay: number;
  days: number;
}

/** Clocks are not changed and changed back within this time. A longer run could hide two such changes. */
const RUN_DAYS_MAX = 14;

/** Divides a range into runs, within which the day of an instant is found by division. */
export function listRuns({ firstDay, days, timezone }: DateRange): DayRun[] {
  const start = startOfDay(firstDay, timezone);
  const isRegular = startOfDay(firstDay + days, timezone) - start === days * DAY_MS;
  if (days === 1 || (isRegular && days <= RUN_DAYS_MAX)) return [{ start, firstDay, days }];
  const half = Math.ceil(days / 2);
  return [
    ...listRuns({ firstDay, days: half, timezone }),
    ...listRuns({ firstDay: firstDay + half, days: days - half, timezone }),
  ].reduce<DayRun[]>(joinRuns, []);
}

/** Joins a run to the last one if all days of the last one have 24 hours. */
function joinRuns(runs: DayRun[], run: DayRun): DayRun[] {
  const last = runs.at(-1);
  if (last === undefined || run.start - last.start !== last.days * DAY_MS) return [...runs, run];
  return [...runs.slice(0, -1), { ...last, days: last.days + run.days }];
}
