// Instants as people say them, on the workspace's clock.
import { getReaderLocale } from "./locale.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Farther instants are not described by their distance. */
const NEAR_MS = 14 * DAY_MS;

/** "America/New_York" as "New York". */
export const formatZone = (timeZone: string): string => (timeZone.split("/").pop() ?? timeZone).replaceAll("_", " ");

/** "Fri, Nov 27" for a date as `2026-11-27`, whatever the clock. */
export const formatDate = (date: string): string => getClock("UTC").day(`${date}T00:00:00Z`);

/** "Tue, Dec 1, 9:30 AM"; the time as typed is formatted as if it were in UTC, so that no zone changes it. */
export function formatLocal(value: string): string {
  const date = new Date(`${value}Z`);
  if (Number.isNaN(date.getTime())) return value;
  return new Intl.DateTimeFormat(getReaderLocale(), {
    weekday: "short",
    day: "numeric",
    month: "short",
    ...(date.getUTCFullYear() === new Date().getUTCFullYear() ? {} : { year: "numeric" as const }),
    hour: "numeric",
    minute: "2-digit",
    timeZone: "UTC",
  }).format(date);
}

export type Clock = ReturnType<typeof makeClock>;

/** The clocks are kept, because creating a formatter takes a hundred times as long as using it. */
const clocks = new Map<string, Clock>();
/** The clock of a time zone, in the reader's conventions. */
export function getClock(timeZone: string): Clock {
  const locale = getReaderLocale();
  const key = `${locale} ${timeZone}`;
  const clock = clocks.get(key) ?? makeClock(timeZone, locale);
  clocks.set(key, clock);
  return clock;
}

function makeClock(timeZone: string, locale: string) {
  const dayParts = { weekday: "short", day: "numeric", month: "short", timeZone } as const;
  const timeParts = { hour: "numeric", minute: "2-digit", timeZone } as const;
  const make = (parts: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, parts);
  const year = make({ year: "numeric", timeZone });
  const day = make(dayParts);
  const dayOfYear = make({ ...dayParts, year: "numeric" });
  const time = make(timeParts);
  const exact = make({ ...timeParts, second: "2-digit", fractionalSecondDigits: 3 });
  const distance = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });

  const formatDay = (iso: string, now: number) => {
    const date = new Date(iso);
    return (year.format(date) === year.format(now) ? day : dayOfYear).format(date);
  };
  const full = (iso: string, now = Date.now()) => `${formatDay(iso, now)}, ${time.format(new Date(iso))}`;
  return {
    zone: formatZone(timeZone),
    /** "Fri, Nov 27", with the year if it is not this year. */
    day: (iso: string, now = Date.now()) => formatDay(iso, now),
    /** "10:00 AM" */
    time: (iso: string) => time.format(new Date(iso)),
    /** "Fri, Nov 27, 10:00 AM" */
    full,
    /** "Fri, Nov 27, 2026, 10:00 AM" */
    dated: (iso: string) => `${dayOfYear.format(new Date(iso))}, ${time.format(new Date(iso))}`,
    /** "Fri, Nov 27, 10:00 AM, in 3 days"; without the distance if it is more than two weeks. */
    friendly(iso: string, now = Date.now()) {
      const words = formatDistance(distance, Date.parse(iso) - now);
      return words === null ? full(iso, now) : `${full(iso, now)}, ${words}`;
    },
    /** To the millisecond. */
    exact: (iso: string, now = Date.now()) => `${formatDay(iso, now)}, ${exact.format(new Date(iso))}`,
  };
}

/** "in 3 days", "yesterday", "2 hours ago"; null if it is too far. */
function formatDistance(format: Intl.RelativeTimeFormat, ms: number): string | null {
  const size = Math.abs(ms);
  if (size > NEAR_MS) return null;
  if (size < MINUTE_MS) return ms < 0 ? "just now" : "in less than a minute";
  if (size < HOUR_MS) return format.format(Math.round(ms / MINUTE_MS), "minute");
  if (size < DAY_MS) return format.format(Math.round(ms / HOUR_MS), "hour");
  return format.format(Math.round(ms / DAY_MS), "day");
}
