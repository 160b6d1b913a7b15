import type { readAnalytics as contract } from "../../contract/analytics.ts";
import { DAY_MS } from "../../domain/limits.ts";
import { networks } from "../../networks/index.ts";
import { publishedSince } from "../../store/metrics.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { sumsView } from "./view.ts";

export const readAnalytics: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const days = Number(query.days);
  const since = ctx.now() - (days - 1) * DAY_MS;
  const published = await publishedSince(ctx.databaseOf(workspaceId), workspaceId, since);
  return ok({
    days,
    networks: networks.map(({ rule: { platform, measures } }) => {
      const platformDays = published.filter((day) => day.platform === platform);
      const deliveries = platformDays.reduce((sum, day) => sum + day.deliveries, 0);
      const figures = sumsView(platformDays);
      return { platform, measures, deliveries, figures, note: explainMissingFigures(measures, deliveries, figures) };
    }),
  });
};

function explainMissingFigures(measures: boolean, deliveries: number, figures: object): string | null {
  if (!measures) return "This network reports no figures.";
  if (deliveries === 0) return "Nothing was published there in these days.";
  return Object.keys(figures).length === 0 ? "Nothing has been measured yet." : null;
}
