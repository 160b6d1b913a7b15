import type { figuresByDay as contract } from "../../contract/analytics.ts";
import { toDate } from "../../domain/date-range.ts";
import type { PublishedDay } from "../../store/metrics.ts";
import { ok, type Run } from "../run.ts";
import { readPublished, readRanges } from "./period.ts";
import { sumDays } from "./view.ts";

export const figuresByDay: Run<typeof contract> = async (ctx, caller, { query }) => {
  const ranges = await readRanges(ctx, caller, query);
  const published = await readPublished(ctx, caller, query, ranges);
  const platforms = [...new Set(published.map(({ platform }) => platform))].sort();
  const byDay = Map.groupBy(published, ({ day, platform }) => `${day} ${platform}`);
  const { range, before } = ranges;
  return ok({
    days: Array.from({ length: range.days }, (_, i) => range.firstDay + range.days - 1 - i).flatMap((day) =>
      platforms.map((platform) => ({
        platform,
        ...dayView(byDay, day, platform),
        previous: before && dayView(byDay, day - range.days, platform),
      })),
    ),
  });
};

const dayView = (byDay: Map<string, PublishedDay[]>, day: number, platform: string) => ({
  date: toDate(day),
  ...sumDays(byDay.get(`${day} ${platform}`) ?? []),
});
