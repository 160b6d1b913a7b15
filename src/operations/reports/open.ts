// A report as its readers see it: for each network, the figures of each channel, compared with the period before, and the
// best posts. Networks count differently, so nothing is added up across them.
import { sha256Hex } from "../../adapters/digest.ts";
import type { Context } from "../../context.ts";
import { type DateRange, getInstants, rangeBefore, readRange } from "../../domain/date-range.ts";
import { MEASURED_COMPARED_MAX } from "../../domain/limits.ts";
import { METRICS, type Metric } from "../../domain/metrics.ts";
import { getWorkspace } from "../../store/accounts/workspaces.ts";
import { listHandles } from "../../store/channels/channels.ts";
import { postsByFigure } from "../../store/metrics.ts";
import { type PostWithDeliveries, postsByIds } from "../../store/posts/posts.ts";
import { findReport, type ReportRow } from "../../store/reports.ts";
import { sumRanges } from "../analytics/period.ts";
import { sumChannels } from "../analytics/view.ts";
import { showBrand } from "../brand.ts";
import { mayMakerStill } from "../maker.ts";
import { getPublishedText } from "../posts/published-text.ts";

/** How many posts of each network are shown. */
const BEST_POSTS = 5;

interface ReportedFigure {
  figure: Metric;
  value: number;
  /** In the period before; null: not reported. */
  before: number | null;
}
export interface ReportedChannel {
  handle: string;
  deliveries: number;
  deliveriesBefore: number;
  figures: ReportedFigure[];
}
export interface ReportedPost {
  handle: string;
  text: string;
  /** The post's address on the network; null: unknown. */
  url: string | null;
  /** Epoch milliseconds. */
  publishedAt: number | null;
  figures: [Metric, number][];
}
export interface ReportedNetwork {
  platform: string;
  channels: ReportedChannel[];
  /** The figure that orders the best posts; null: the network reported none. */
  orderedBy: Metric | null;
  best: ReportedPost[];
}
export interface Report {
  workspace: string;
  /** The workspace's own brand; null: none. */
  brand: Awaited<ReturnType<typeof showBrand>>;
  range: DateRange;
  before: DateRange;
  label: string | null;
  networks: ReportedNetwork[];
}

/** The report with this token; null: it never existed or has ended, which the answer does not tell apart. */
export async function openReport(ctx: Context, token: string): Promise<Report | null> {
  const row = await findReport(ctx.accounts, await sha256Hex(token));
  if (row === undefined || !(await mayMakerStill(ctx, row.workspaceId, row.createdBy, "read"))) return null;
  const workspace = await getWorkspace(ctx.accounts, row.workspaceId);
  if (workspace === undefined) return null;
  await ctx.homes.locate(row.workspaceId);
  // Today's date does not matter: the range was valid when the report was created.
  const { fromDate: from, toDate: to } = row;
  const range = readRange({ from, to }, { timezone: workspace.timezone, now: Math.max(ctx.now(), row.createdAt) });
  const before = rangeBefore(range);
  const networks = await readNetworks(ctx, row, { range, before });
  const brand = await showBrand(ctx, row.workspaceId, null);
  return { workspace: workspace.name, brand, range, before, label: row.label, networks };
}

async function readNetworks(
  ctx: Context,
  row: ReportRow,
  ranges: { range: DateRange; before: DateRange },
): Promise<ReportedNetwork[]> {
  const { workspaceId, channels: only, label } = row;
  const db = ctx.databaseOf(workspaceId);
  const [handles, published] = await Promise.all([
    listHandles(db, workspaceId),
    sumRanges(db, workspaceId, { ...ranges, label: label ?? undefined, channels: null, isByChannel: true }),
  ]);
  const isChosen = ({ channel }: { channel: string }) => only === null || only.includes(channel);
  const byPlatform = Map.groupBy(sumChannels(published, ranges).filter(isChosen), ({ platform }) => platform);
  const networks = [...byPlatform].map(async ([platform, sums]): Promise<ReportedNetwork> => {
    const orderedBy = METRICS.find((figure) => sums.some(({ figures }) => figures[figure] !== undefined)) ?? null;
    return {
      platform,
      channels: sums.map(({ channel, deliveries, figures, previous }) => ({
        handle: handles.get(channel) ?? channel,
        deliveries,
        deliveriesBefore: previous?.deliveries ?? 0,
        figures: METRICS.flatMap((figure): ReportedFigure[] => {
          const value = figures[figure]?.value;
          return value === undefined ? [] : [{ figure, value, before: previous?.figures[figure]?.value ?? null }];
        }),
      })),
      orderedBy,
      best: orderedBy === null ? [] : await readBest(ctx, row, ranges.range, { platform, figure: orderedBy, handles }),
    };
  });
  return Promise.all(networks);
}

async function readBest(
  ctx: Context,
  { workspaceId, channels: only, label }: ReportRow,
  range: DateRange,
  { platform, figure, handles }: { platform: string; figure: Metric; handles: Map<string, string> },
): Promise<ReportedPost[]> {
  const db = ctx.databaseOf(workspaceId);
  const { rows } = await postsByFigure(db, workspaceId, {
    ...getInstants(range),
    platform,
    figure,
    only,
    label,
    channels: null,
    after: null,
    limit: BEST_POSTS,
    comparedMax: MEASURED_COMPARED_MAX,
  });
  const posts = await postsByIds(db, workspaceId, [...new Set(rows.map(({ postId }) => postId))]);
  return rows.map(({ postId, channelId, url, publishedAt, measured }) => ({
    handle: handles.get(channelId) ?? channelId,
    text: textFor(posts, postId, channelId),
    url,
    publishedAt,
    figures: METRICS.flatMap((name): [Metric, number][] => {
      const value = measured.figures[name];
      return value === undefined ? [] : [[name, value]];
    }),
  }));
}

/** The text that was published on a channel; empty: the post no longer exists. */
function textFor(posts: readonly PostWithDeliveries[], postId: string, channelId: string): string {
  const found = posts.find(({ post }) => post.id === postId);
  return found === undefined ? "" : getPublishedText(found, channelId);
}
