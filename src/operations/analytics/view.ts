import { type DateRange, isInRange } from "../../domain/date-range.ts";
import { isoInstant } from "../../domain/instant.ts";
import type { Metric } from "../../domain/metrics.ts";
import type { PublishedDay } from "../../store/metrics.ts";
import type { PublishedInRange } from "../../store/range-figures.ts";
import type { Ranges } from "./period.ts";

type Sum = PublishedDay["figures"][number];

/** The number of deliveries of one network on several days, and the sums of their figures. */
export function sumDays(days: PublishedDay[]) {
  return { deliveries: days.reduce((sum, day) => sum + day.deliveries, 0), figures: sumsView(days) };
}

/** Like `sumDays`, for the days within a range; null for a range that is not asked for. */
export const sumRange = (days: PublishedDay[], range: DateRange | null) =>
  range && sumDays(days.filter(({ day }) => isInRange(day, range)));

/** The sums of each channel, the networks in order and the busiest channels of a network first. */
export function sumChannels(published: PublishedInRange[], { range, before }: Ranges) {
  return [...Map.groupBy(published, ({ channelId }) => channelId)]
    .flatMap(([channel, rows]) => {
      const platform = rows[0]?.platform;
      if (channel === null || platform === undefined) return [];
      const days = rows.filter(({ day }) => isInRange(day, range));
      return [{ channel, platform, ...sumDays(days), previous: sumRange(rows, before) }];
    })
    .sort(
      (first, second) =>
        first.platform.localeCompare(second.platform) ||
        second.deliveries - first.deliveries ||
        first.channel.localeCompare(second.channel),
    );
}

function sumsView(days: PublishedDay[]) {
  const sums = new Map<Metric, Sum>();
  for (const sum of days.flatMap(({ figures }) => figures)) {
    const before = sums.get(sum.figure);
    sums.set(sum.figure, before === undefined ? sum : added(before, sum));
  }
  return Object.fromEntries(
    [...sums.values()].map(({ figure, sum, count, oldest, newest }) => [
      figure,
      { value: sum, deliveries: count, oldest: isoInstant(oldest), newest: isoInstant(newest) },
    ]),
  );
}

const added = (first: Sum, second: Sum): Sum => ({
  figure: first.figure,
  sum: first.sum + second.sum,
  count: first.count + second.count,
  oldest: Math.min(first.oldest, second.oldest),
  newest: Math.max(first.newest, second.newest),
});
