import type { figuresByDay as contract } from "../../contract/analytics.ts";
import { isoInstant } from "../../domain/instant.ts";
import { DAY_MS } from "../../domain/limits.ts";
import { publishedSince } from "../../store/metrics.ts";
import { inWorkspace } from "../caller.ts";
import { ok, type Run } from "../run.ts";
import { sumsView } from "./view.ts";

export const figuresByDay: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const days = Number(query.days);
  const now = ctx.now();
  const published = await publishedSince(ctx.databaseOf(workspaceId), workspaceId, now - (days - 1) * DAY_MS);
  const platforms = [...new Set(published.map(({ platform }) => platform))].sort();
  const today = Math.floor(now / DAY_MS);
  return ok({
    days: Array.from({ length: days }, (_, i) => today - i).flatMap((day) =>
      platforms.map((platform) => {
        const platformRows = published.filter((row) => row.day === day && row.platform === platform);
        return {
          date: isoInstant(day * DAY_MS).slice(0, 10),
          platform,
          deliveries: platformRows.reduce((sum, row) => sum + row.deliveries, 0),
          figures: sumsView(platformRows),
        };
      }),
    ),
  });
};
