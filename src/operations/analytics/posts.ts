import type { postsByFigure as contract } from "../../contract/analytics.ts";
import { isoOrNull } from "../../domain/instant.ts";
import { DAY_MS, MEASURED_COMPARED_MAX } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { type FigureCursor, postsByFigure as read } from "../../store/metrics.ts";
import { figuresView } from "../../views/figures.ts";
import { inWorkspace } from "../caller.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";

export const postsByFigure: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const { platform, figure, limit, cursor } = query;
  const { rows, isWhole } = await read(ctx.databaseOf(workspaceId), workspaceId, {
    platform,
    figure,
    since: ctx.now() - (Number(query.days) - 1) * DAY_MS,
    channels: getReachableChannels(caller),
    after: readFigureCursor(cursor),
    limit: limit + 1,
    comparedMax: MEASURED_COMPARED_MAX,
  });
  const page = rows.slice(0, limit);
  const last = rows.length > page.length ? page.at(-1) : undefined;
  return ok({
    posts: page.map((row) => ({
      post: row.postId,
      channel: row.channelId,
      platform,
      published_at: isoOrNull(row.publishedAt),
      url: row.url,
      figures: figuresView(row.measured),
    })),
    next: last === undefined ? null : cursorAtText("figure", `${last.value} ${last.postId} ${last.channelId}`),
    compared: isWhole ? null : MEASURED_COMPARED_MAX,
  });
};

/** The end of the previous page; null: this is the first page. Throws `unreadable_cursor`. */
function readFigureCursor(cursor: string | undefined): FigureCursor | null {
  const text = readText(cursor, "figure");
  if (text === null) return null;
  const [, value, postId = "", channelId = ""] = /^(-?\d{1,16}) (\S+) (\S+)$/.exec(text) ?? [];
  if (value === undefined) throw refuse("unreadable_cursor", { field: "/cursor" });
  return { value: Number(value), postId, channelId };
}
