import type { Context } from "../../context.ts";
import type { postsByFigure as contract } from "../../contract/analytics.ts";
import { type DateRange, getInstants, toDates } from "../../domain/date-range.ts";
import { isoOrNull } from "../../domain/instant.ts";
import { MEASURED_COMPARED_MAX } from "../../domain/limits.ts";
import type { Metric } from "../../domain/metrics.ts";
import { refuse } from "../../domain/refusal.ts";
import { type FigureCursor, postsByFigure as read } from "../../store/metrics.ts";
import { figuresView } from "../../views/figures.ts";
import { inWorkspace } from "../caller.ts";
import { cursorAtText, readText } from "../cursor.ts";
import { getReachableChannels } from "../reach.ts";
import { ok, type Run } from "../run.ts";
import { readRanges } from "./period.ts";

export const postsByFigure: Run<typeof contract> = async (ctx, caller, { query }) => {
  const { workspaceId } = inWorkspace(caller);
  const { limit, cursor, channel = null, label = null, platform, figure } = query;
  const { range, before } = await readRanges(ctx, caller, query);
  const after = readFigureCursor(cursor);
  const only = channel === null ? null : [channel];
  const ranking = { platform, figure, only, label, channels: getReachableChannels(caller) };
  const [page, previous] = await Promise.all([
    rankPosts(ctx, workspaceId, { ...ranking, range, after, limit }),
    before === null || after !== null ? null : rankPosts(ctx, workspaceId, { ...ranking, range: before, after, limit }),
  ]);
  const { last, isWhole } = page;
  return ok({
    posts: page.posts,
    next: last === undefined ? null : cursorAtText("figure", `${last.value} ${last.postId} ${last.channelId}`),
    compared: isWhole ? null : MEASURED_COMPARED_MAX,
    previous: before && previous && { ...toDates(before), posts: previous.posts },
  });
};

interface Ranking {
  platform: string;
  figure: Metric;
  only: readonly string[] | null;
  label: string | null;
  channels: readonly string[] | null;
  range: DateRange;
  after: FigureCursor | null;
  limit: number;
}

/** A page of the posts of a network, ordered by a figure. `last`: the end of the page; undefined if it is the last page. */
async function rankPosts(ctx: Context, workspaceId: string, { range, limit, ...ranking }: Ranking) {
  const { rows, isWhole } = await read(ctx.databaseOf(workspaceId), workspaceId, {
    ...ranking,
    ...getInstants(range),
    limit: limit + 1,
    comparedMax: MEASURED_COMPARED_MAX,
  });
  const page = rows.slice(0, limit);
  const posts = page.map((row) => ({
    post: row.postId,
    channel: row.channelId,
    platform: ranking.platform,
    published_at: isoOrNull(row.publishedAt),
    url: row.url,
    figures: figuresView(row.measured),
  }));
  return { posts, last: rows.length > page.length ? page.at(-1) : undefined, isWhole };
}

/** The end of the previous page; null: this is the first page. Throws `unreadable_cursor`. */
function readFigureCursor(cursor: string | undefined): FigureCursor | null {
  const text = readText(cursor, "figure");
  if (text === null) return null;
  const [, value, postId = "", channelId = ""] = /^(-?\d{1,16}) (\S+) (\S+)$/.exec(text) ?? [];
  if (value === undefined) throw refuse("unreadable_cursor", { field: "/cursor" });
  return { value: Number(value), postId, channelId };
}
