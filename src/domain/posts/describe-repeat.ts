// How a post repeats, in English: "every Monday and Thursday", "every 2 weeks on Friday, 10 posts in all".
import type { Repeat } from "./repeat.ts";

/** Monday first; its number is 1. */
export const WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const WORKDAYS = "1,2,3,4,5";
const formatList = (items: readonly string[]): string => new Intl.ListFormat("en-GB").format(items);

export type Pattern = Pick<Repeat, "every" | "interval" | "weekdays">;

/** `weekday`: that of the first post, 1 to 7; null: not known. */
export function describePattern({ every, interval, weekdays }: Pattern, weekday: number | null): string {
  const span = interval === 1 ? every : `${interval} ${every}s`;
  if (every !== "week") return `every ${span}`;
  const days = weekdays ?? (weekday === null ? [] : [weekday]);
  if (days.length === 0) return `every ${span}`;
  if (interval === 1 && days.join() === WORKDAYS) return "every weekday";
  const names = formatList(days.map((day) => WEEKDAYS[day - 1] ?? ""));
  return interval === 1 ? `every ${names}` : `every ${span} on ${names}`;
}

/** The pattern with its end. `formatDate`: the words for the last date. */
export function describeRepeat(
  repeat: Pattern & Pick<Repeat, "until" | "times">,
  weekday: number | null,
  formatDate: (until: string) => string,
): string {
  const { until, times } = repeat;
  const end = until === null ? (times === null ? "" : `, ${times} posts in all`) : `, until ${formatDate(until)}`;
  return `${describePattern(repeat, weekday)}${end}`;
}

/** The weekday of a local date such as `2026-12-01` or `2026-12-01T09:30`; null if it is not a date. */
export function readWeekday(local: string | null): number | null {
  const day = new Date(`${(local ?? "").slice(0, 10)}T00:00:00Z`).getUTCDay();
  return Number.isNaN(day) ? null : day === 0 ? 7 : day;
}
