// The period of an analytics query, and the deliveries published in it.
import type { Caller, Context } from "../../context.ts";
import type { PeriodQuery } from "../../contract/analytics.ts";
import {
  type DateRange,
  getInstants,
  lastDays,
  listRuns,
  rangeBefore,
  readRange,
  refuseRange,
} from "../../domain/date-range.ts";
import { ANALYTICS_DAYS_DEFAULT, RANGE_POSTS_MAX } from "../../domain/limits.ts";
import { refuse } from "../../domain/refusal.ts";
import { readTimezone } from "../../store/accounts/workspaces.ts";
import { ask } from "../../store/db/batch.ts";
import type { Database } from "../../store/db/db.ts";
import { publishedSince } from "../../store/metrics.ts";
import { type PublishedInRange, publishedInRange } from "../../store/range-figures.ts";
import { inWorkspace } from "../caller.ts";
import { getReachableChannels } from "../reach.ts";

/** The range of a query and, if it is compared, the range before. */
export interface Ranges {
  range: DateRange;
  before: DateRange | null;
}

/** Reads the period that a query is about. Throws `invalid_range` or `missing_field`. */
export async function readRanges(ctx: Context, caller: Caller, query: PeriodQuery): Promise<Ranges> {
  const range = await readPeriod(ctx, caller, query);
  return { range, before: query.compare ? rangeBefore(range) : null };
}

async function readPeriod(ctx: Context, caller: Caller, { days, from, to }: PeriodQuery): Promise<DateRange> {
  const { workspaceId } = inWorkspace(caller);
  const now = ctx.now();
  if (from === undefined && to === undefined) return lastDays(Number(days ?? ANALYTICS_DAYS_DEFAULT), now);
  if (days !== undefined) throw refuseRange("/days", "`days` cannot be combined with `from` and `to`.");
  if (from === undefined) throw refuse("missing_field", { field: "/from", message: "`to` requires `from`." });
  const db = ctx.databaseOf(workspaceId);
  return readRange({ from, to }, { timezone: await ask(db, readTimezone(db, workspaceId)), now });
}

/** The deliveries published in both ranges of a query, with sums by day. */
export async function readPublished(
  ctx: Context,
  caller: Caller,
  query: PeriodQuery,
  ranges: Ranges,
): Promise<PublishedInRange[]> {
  const { workspaceId } = inWorkspace(caller);
  const { channel, label } = query;
  const channels = getReachableChannels(caller);
  // The stored sums are those of UTC days and of all channels.
  if (query.from === undefined && channel === undefined && label === undefined && channels === null) {
    const { firstDay } = ranges.before ?? ranges.range;
    const rows = await publishedSince(ctx.databaseOf(workspaceId), workspaceId, firstDay);
    return rows.map((row) => ({ ...row, channelId: null }));
  }
  return sumRanges(ctx.databaseOf(workspaceId), workspaceId, {
    ...ranges,
    channels,
    channel,
    label,
    isByChannel: false,
  });
}

interface Sums extends Ranges {
  channel?: string | undefined;
  label?: string | undefined;
  /** Only posts whose channels are all in this list are included; null: all posts. */
  channels: readonly string[] | null;
  isByChannel: boolean;
}

/** Sums the figures of the ranges from their deliveries, by day. Throws `invalid_range` if there are too many posts. */
export async function sumRanges(
  db: Database,
  workspaceId: string,
  { range, before, channel, label, channels, isByChannel }: Sums,
): Promise<PublishedInRange[]> {
  const whole = before === null ? range : { ...before, days: before.days + range.days };
  const { rows, isWhole } = await publishedInRange(db, workspaceId, {
    ...getInstants(whole),
    runs: listRuns(whole),
    channel: channel ?? null,
    label: label ?? null,
    channels,
    isByChannel,
    postsMax: RANGE_POSTS_MAX,
  });
  if (isWhole) return rows;
  throw refuseRange("/from", `More than ${RANGE_POSTS_MAX} posts are in this period. Choose fewer days, or a label.`);
}
