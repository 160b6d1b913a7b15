// The figures of a workspace's deliveries in a range of time, read delivery by delivery: for ranges, channels and labels for
// which no sums are stored (-> metrics.ts).
import { and, count, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { DayRun } from "../domain/date-range.ts";
import { DAY_MS, HOUR_MS } from "../domain/limits.ts";
import { METRICS } from "../domain/metrics.ts";
import { batch } from "./db/batch.ts";
import type { Database } from "./db/db.ts";
import { fromJson } from "./db/row-as-json.ts";
import { deliveries, measurements } from "./db/schema.ts";
import { isWithinReach, type PublishedDay } from "./metrics.ts";

/**
 * How long before its publication a post may have been due. No index has the time of publication, because it would cost a
 * row with every delivery. A delivery that a person retries later than this after its time is not counted.
 */
const DUE_BEFORE_MS = 40 * DAY_MS;

export interface RangeFinding {
  /** Epoch milliseconds. */
  from: number;
  until: number;
  /** The days of the range, by which the figures are summed. */
  runs: readonly DayRun[];
  /** null: of all channels; otherwise of this one. */
  channel: string | null;
  label: string | null;
  /** Only posts whose channels are all in this list are included; null: all posts. */
  channels: readonly string[] | null;
  /** Whether each channel has sums of its own. */
  isByChannel: boolean;
  /** At most this many posts are read. */
  postsMax: number;
}

/** Published deliveries on one day, and the sums of their figures. */
export interface PublishedInRange extends PublishedDay {
  /** null: the sums are those of all channels on the network. */
  channelId: string | null;
}

/** `isWhole`: whether all posts of the range were read. */
export async function publishedInRange(
  db: Database,
  workspaceId: string,
  finding: RangeFinding,
): Promise<{ rows: PublishedInRange[]; isWhole: boolean }> {
  const { from, until, runs, channel, channels, isByChannel } = finding;
  const chosen = choosePosts(workspaceId, finding);
  const { rows, counts } = await batch(db, {
    rows: db
      .select({
        day: findDay(runs),
        platform: deliveries.platform,
        channelId: isByChannel ? sql<string>`${deliveries.channelId}` : sql<null>`NULL`,
        deliveries: count(),
        figures: fromJson(SUMS, readSums),
      })
      .from(sql`${chosen} AS chosen`)
      .crossJoin(deliveries)
      .leftJoin(
        measurements,
        and(
          eq(measurements.workspaceId, workspaceId),
          eq(measurements.postId, deliveries.postId),
          eq(measurements.channelId, deliveries.channelId),
        ),
      )
      .where(
        and(
          eq(deliveries.workspaceId, workspaceId),
          sql`${deliveries.postId} = chosen.post_id`,
          gte(deliveries.publishedAt, from),
          lt(deliveries.publishedAt, until),
          channel === null ? undefined : eq(deliveries.channelId, channel),
          channels === null
            ? undefined
            : isWithinReach(
                workspaceId,
                JSON.stringify(channels),
                sql`${deliveries.postId}`,
                sql`${deliveries.channelId}`,
              ),
        ),
      )
      .groupBy(sql`1`, sql`2`, sql`3`),
    counts: db.select({ found: count() }).from(sql`${chosen} AS counted`),
  });
  return { rows, isWhole: (counts[0]?.found ?? 0) <= finding.postsMax };
}

/** Selects the posts that may have been published in the range, one more than are read. */
function choosePosts(workspaceId: string, { from, until, channel, label, postsMax }: RangeFinding): SQL {
  const term = label === null ? channel : `#${label}`;
  // The clock that publishes and the one that records the time may differ.
  const due = sql`due_at >= ${from - DUE_BEFORE_MS} AND due_at < ${until + HOUR_MS}`;
  return term === null
    ? sql`(SELECT id AS post_id FROM posts INDEXED BY posts_by_due WHERE workspace_id = ${workspaceId} AND ${due} LIMIT ${postsMax + 1})`
    : sql`(SELECT post_id FROM post_terms WHERE workspace_id = ${workspaceId} AND term = ${term} AND ${due} LIMIT ${postsMax + 1})`;
}

/** The day of a delivery's publication. The numbers are inlined, because a bound number would not be divided as an integer. */
function findDay(runs: readonly DayRun[]) {
  const cases = runs.toReversed().map(({ start, firstDay, days }) => {
    const [first, last, begin, length] = [firstDay, days - 1, start, DAY_MS].map((value) => sql.raw(`${value}`));
    return sql`WHEN ${deliveries.publishedAt} >= ${begin} THEN ${first} + MIN((${deliveries.publishedAt} - ${begin}) / ${length}, ${last})`;
  });
  return sql<number>`CASE ${sql.join(cases, sql` `)} END`.as("day");
}

/** For each metric: its sum, the number of deliveries that have it, and their oldest and newest measurement. */
const SUMS = sql`json_array(${sql.join(
  METRICS.map((figure) => {
    const value = measurements[figure];
    const measuredAt = sql`CASE WHEN ${value} IS NOT NULL THEN ${measurements.measuredAt} END`;
    return sql`json_array(SUM(${value}), COUNT(${value}), MIN(${measuredAt}), MAX(${measuredAt}))`;
  }),
  sql`, `,
)})`;
type SumCells = [sum: number | null, count: number, oldest: number | null, newest: number | null];

const readSums = (cells: SumCells[]): PublishedDay["figures"] =>
  METRICS.flatMap((figure, i) => {
    const [sum, counted, oldest, newest] = cells[i] ?? [null, 0, null, null];
    return sum === null || oldest === null || newest === null ? [] : [{ figure, sum, count: counted, oldest, newest }];
  });
