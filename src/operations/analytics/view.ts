import { isoInstant } from "../../domain/instant.ts";
import type { Metric } from "../../domain/metrics.ts";
import type { PublishedDay } from "../../store/metrics.ts";

type Sum = PublishedDay["figures"][number];

/** The sums of one network's figures over several days. */
export function sumsView(days: PublishedDay[]) {
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
