import type { readAnalytics as contract } from "../../contract/analytics.ts";
import { isoInstant } from "../../domain/instant.ts";
import { DAY_MS } from "../../domain/limits.ts";
import type { Metric } from "../../domain/metrics.ts";
import { networks } from "../../networks/index.ts";
import { type PublishedDay, publishedSince } from "../../store/metrics.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";

type Sum = PublishedDay["figures"][number];

export const readAnalytics: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const days = Number(query.days);
  const since = ctx.now() - (days - 1) * DAY_MS;
  const published = await publishedSince(ctx.databaseOf(workspaceId), workspaceId, since);
  return ok({
    days,
    networks: networks.map(({ rule: { platform, measures } }) => {
      const those = published.filter((day) => day.platform === platform);
      const deliveries = those.reduce((sum, day) => sum + day.deliveries, 0);
      const figures = shown(those);
      return { platform, measures, deliveries, figures, note: noteOf(measures, deliveries, figures) };
    }),
  });
};

function shown(days: PublishedDay[]) {
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

const added = (one: Sum, other: Sum): Sum => ({
  figure: one.figure,
  sum: one.sum + other.sum,
  count: one.count + other.count,
  oldest: Math.min(one.oldest, other.oldest),
  newest: Math.max(one.newest, other.newest),
});

function noteOf(measures: boolean, deliveries: number, figures: object): string | null {
  if (!measures) return "This network reports no figures.";
  if (deliveries === 0) return "Nothing was published there in these days.";
  return Object.keys(figures).length === 0 ? "Nothing has been measured yet." : null;
}
