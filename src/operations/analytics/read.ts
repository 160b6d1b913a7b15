import type { readAnalytics as contract } from "../../contract/analytics.ts";
import { isInRange, toDates } from "../../domain/date-range.ts";
import { networks } from "../../networks/index.ts";
import { ok, type Run } from "../run.ts";
import { readPublished, readRanges } from "./period.ts";
import { sumDays, sumRange } from "./view.ts";

export const readAnalytics: Run<typeof contract> = async (ctx, caller, { query }) => {
  const ranges = await readRanges(ctx, caller, query);
  const { range, before } = ranges;
  const published = await readPublished(ctx, caller, query, ranges);
  return ok({
    days: range.days,
    ...toDates(range),
    timezone: range.timezone,
    networks: networks.map(({ rule: { platform, measures } }) => {
      const platformDays = published.filter((day) => day.platform === platform);
      const { deliveries, figures } = sumDays(platformDays.filter(({ day }) => isInRange(day, range)));
      return {
        platform,
        measures,
        deliveries,
        figures,
        note: explainMissingFigures(measures, deliveries, figures),
        previous: sumRange(platformDays, before),
      };
    }),
    previous: before && toDates(before),
  });
};

function explainMissingFigures(measures: boolean, deliveries: number, figures: object): string | null {
  if (!measures) return "This network reports no figures.";
  if (deliveries === 0) return "Nothing was published there in these days.";
  return Object.keys(figures).length === 0 ? "Nothing has been measured yet." : null;
}
