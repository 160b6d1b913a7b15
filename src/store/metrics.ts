// The figures that networks report: the newest figures of each delivery, and their sums by network and day, updated
// together.
import { and, count, eq, getTableColumns, gte, type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../domain/limits.ts";
import { METRICS, type Measured, type Metric, type Metrics } from "../domain/metrics.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom, NOW } from "./db/db.ts";
import { fromJson } from "./db/row-as-json.ts";
import { deliveries, events, measuredDays, measurements, publishedCounts } from "./db/schema.ts";
import { type DeliveryKey, isDelivery } from "./deliveries/delivery-key.ts";

/**
 * How many feed positions are counted together. The trigger `events_counted` in the migrations has the same number. It is
 * inlined in the SQL, because a bound number would not be divided as an integer.
 */
export const COUNTED_TOGETHER = sql.raw("32");

/** Selects a row of measurements as one JSON array, which `measuredIn` parses. */
export const measurementArray = sql`json_array(${measurements.measuredAt}, ${sql.join(
  METRICS.map((figure) => sql`${measurements[figure]}`),
  sql`, `,
)})`;
export type MeasurementCells = [at: number, ...figures: (number | null)[]];
/** Parses a value that `measurementArray` selected. */
export function measuredIn([measuredAt, ...cells]: MeasurementCells): Measured {
  const entries = METRICS.flatMap((figure, i): [Metric, number][] => {
    const value = cells[i] ?? null;
    return value === null ? [] : [[figure, value]];
  });
  return { at: measuredAt, figures: Object.fromEntries(entries) };
}

/**
 * Stores the figures that a network reports for a live delivery, replacing its earlier figures, and adjusts the day's
 * sums by the difference. `published.at`: epoch milliseconds.
 */
export async function storeMetrics(
  db: Database,
  key: DeliveryKey,
  published: { platform: string; at: number },
  figures: Metrics,
): Promise<void> {
  const { platform } = published;
  const day = Math.floor(published.at / DAY_MS);
  const before = (figure: Metric) =>
    sql`(SELECT ${measurements[figure]} FROM ${measurements} WHERE ${isMeasured(key)})`;
  const corrections = METRICS.flatMap((figure): [string, SQL][] => {
    const value = sql`CAST(${figures[figure] ?? null} AS INTEGER)`;
    const [sum, count] = [measuredDays[`${figure}Sum`], measuredDays[`${figure}Count`]];
    return [
      [`${figure}Sum`, sql`${sum} + COALESCE(${value}, 0) - COALESCE(${before(figure)}, 0)`],
      [`${figure}Count`, sql`${count} + (${value} IS NOT NULL) - (${before(figure)} IS NOT NULL)`],
    ];
  });
  const reported = Object.fromEntries(METRICS.map((figure) => [figure, figures[figure] ?? null]));
  const row = { ...key, platform, day, measuredAt: NOW, ...reported };
  const { workspaceId } = key;
  // The delivery may have been archived while its network was called; its sums then stay as they are.
  const exists = sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isDelivery(key)})`;
  await db.batch([
    insertFrom(
      db,
      measuredDays,
      { workspaceId, day, platform },
      sql`FROM ${deliveries} WHERE ${isDelivery(key)}`,
    ).onConflictDoNothing(),
    db
      .update(measuredDays)
      .set(Object.fromEntries(corrections))
      .where(
        and(
          eq(measuredDays.workspaceId, key.workspaceId),
          eq(measuredDays.day, day),
          eq(measuredDays.platform, platform),
          exists,
        ),
      ),
    insertFrom(db, measurements, row, sql`FROM ${deliveries} WHERE ${isDelivery(key)}`).onConflictDoUpdate({
      target: [measurements.workspaceId, measurements.postId, measurements.channelId],
      set: { measuredAt: NOW, ...reported },
    }),
  ]);
}

const isMeasured = ({ workspaceId, postId, channelId }: DeliveryKey) =>
  and(
    eq(measurements.workspaceId, workspaceId),
    eq(measurements.postId, postId),
    eq(measurements.channelId, channelId),
  );

/** How many deliveries one network published for a workspace on one day, or the sums of their figures. */
export interface PublishedDay {
  /** In UTC days since 1970. */
  day: number;
  platform: string;
  deliveries: number;
  figures: { figure: Metric; sum: number; count: number; oldest: number; newest: number }[];
}

/**
 * The days of a workspace, starting with the UTC day `sinceDay`. Reads stored sums, so the cost does not grow with the
 * number of deliveries.
 */
export async function publishedSince(db: Database, workspaceId: string, sinceDay: number): Promise<PublishedDay[]> {
  const behind = (figure: Metric, edge: "MIN" | "MAX") => sql<number | null>`CASE WHEN
    ${measuredDays[`${figure}Count`]} > 0 THEN (SELECT ${sql.raw(edge)}(${measurements.measuredAt}) FROM ${measurements}
    INDEXED BY measurements_by_day WHERE ${measurements.workspaceId} = ${measuredDays.workspaceId}
    AND ${measurements.platform} = ${measuredDays.platform} AND ${measurements.day} = ${measuredDays.day}
    AND ${measurements[figure]} IS NOT NULL) END`;
  const edges = (edge: "MIN" | "MAX") =>
    sql<string>`json_array(${sql.join(
      METRICS.map((figure) => behind(figure, edge)),
      sql`, `,
    )})`.mapWith((text: string): (number | null)[] => JSON.parse(text));
  // The newest part of the feed, fewer than 32 positions, is not counted yet. The platform is read from the event, because
  // the delivery may be in the archive.
  const platform = sql<string>`${events.body} ->> '$.platform'`;
  const dayOfEvent = sql<number>`${events.createdAt} / ${sql.raw(`${DAY_MS}`)}`;
  const last = sql`(SELECT MAX(fed.seq) FROM ${events} AS fed WHERE fed.workspace_id = ${workspaceId})`;
  const { published, latest, measured } = await batch(db, {
    published: db
      .select({ day: publishedCounts.day, counts: publishedCounts.counts })
      .from(publishedCounts)
      .where(and(eq(publishedCounts.workspaceId, workspaceId), gte(publishedCounts.day, sinceDay))),
    latest: db
      .select({ day: dayOfEvent, platform, published: count() })
      .from(events)
      .where(
        and(
          eq(events.workspaceId, workspaceId),
          sql`${events.seq} >= ${last} / ${COUNTED_TOGETHER} * ${COUNTED_TOGETHER}`,
          eq(events.event, "delivery.succeeded"),
          gte(events.createdAt, sinceDay * DAY_MS),
        ),
      )
      .groupBy(dayOfEvent, platform),
    measured: db
      .select({ ...getTableColumns(measuredDays), oldest: edges("MIN"), newest: edges("MAX") })
      .from(measuredDays)
      .where(and(eq(measuredDays.workspaceId, workspaceId), gte(measuredDays.day, sinceDay))),
  });
  const counted = published.flatMap(({ day, counts }) =>
    Object.entries(counts).map(([platform, published]) => ({ day, platform, published })),
  );
  return [
    ...[...counted, ...latest].map(({ day, platform, published: deliveries }) => ({
      day,
      platform,
      deliveries,
      figures: [],
    })),
    ...measured.map((row) => ({
      day: row.day,
      platform: row.platform,
      deliveries: 0,
      figures: METRICS.flatMap((figure, i) => {
        const [oldest, newest] = [row.oldest[i] ?? null, row.newest[i] ?? null];
        if (oldest === null || newest === null) return [];
        return [{ figure, sum: row[`${figure}Sum`], count: row[`${figure}Count`], oldest, newest }];
      }),
    })),
  ];
}

/** A position in the deliveries ordered by a figure: the page continues after this delivery. */
export interface FigureCursor {
  value: number;
  postId: string;
  channelId: string;
}
interface FigureFinding {
  platform: string;
  figure: Metric;
  /** The period in which the posts were published, in epoch milliseconds. */
  from: number;
  until: number;
  /** null: of all channels; otherwise of these. */
  only: readonly string[] | null;
  label: string | null;
  /** Only posts whose channels are all in this list are included; null: all posts. */
  channels: readonly string[] | null;
  after: FigureCursor | null;
  limit: number;
  comparedMax: number;
}
interface FigureRow extends FigureCursor {
  publishedAt: number | null;
  url: string | null;
  measured: Measured;
}

/**
 * Deliveries of one network, ordered by one figure, largest first. No index covers the figures, because every measurement
 * would have to update it. Instead, at most `comparedMax` deliveries of the latest days are compared; `isWhole` says whether
 * those were all deliveries.
 */
export async function postsByFigure(
  db: Database,
  workspaceId: string,
  finding: FigureFinding,
): Promise<{ rows: FigureRow[]; isWhole: boolean }> {
  const { platform, figure, from, until, after, limit, comparedMax } = finding;
  const [firstDay, lastDay] = [from, until - 1].map((instant) => Math.floor(instant / DAY_MS));
  const walk = (columns: SQL, most: number) =>
    sql`(SELECT ${columns} FROM measurements INDEXED BY measurements_by_day WHERE workspace_id = ${workspaceId}
      AND platform = ${platform} AND day BETWEEN ${firstDay} AND ${lastDay} ORDER BY day DESC, measured_at DESC LIMIT ${most})`;
  const value = sql`measurements.${sql.identifier(figure)}`;
  const afterCursor =
    after && sql`(-${value}, post_id, channel_id) > (${-after.value}, ${after.postId}, ${after.channelId})`;
  const conditions = [sql`${value} IS NOT NULL`, afterCursor, ...narrowRanking(workspaceId, finding)].filter(
    (condition) => condition !== null,
  );
  const page = sql`SELECT post_id, channel_id, ${value} AS value, ${measurementArray} AS measured FROM ${walk(sql`*`, comparedMax)} AS measurements
    WHERE ${sql.join(conditions, sql` AND `)} ORDER BY value DESC, post_id, channel_id LIMIT ${limit}`;
  const { rows, counts } = await batch(db, {
    rows: db
      .select({
        postId: sql<string>`page.post_id`.as("post_id"),
        channelId: sql<string>`page.channel_id`.as("channel_id"),
        value: sql<number>`page.value`.as("value"),
        measured: fromJson(sql`page.measured`, measuredIn).as("measured"),
        publishedAt: deliveries.publishedAt,
        url: sql<string | null>`${deliveries.networkPost} ->> '$.url'`.as("url"),
      })
      .from(sql`(${page}) AS page`)
      .crossJoin(deliveries)
      .where(
        and(
          eq(deliveries.workspaceId, workspaceId),
          sql`${deliveries.postId} = page.post_id`,
          sql`${deliveries.channelId} = page.channel_id`,
        ),
      )
      .orderBy(sql`page.value DESC, page.post_id, page.channel_id`),
    counts: db.select({ found: count() }).from(sql`${walk(sql`day`, comparedMax + 1)} AS walked`),
  });
  return { rows, isWhole: (counts[0]?.found ?? 0) <= comparedMax };
}

/** The conditions of a ranking apart from its network and its figure. */
function narrowRanking(workspaceId: string, { from, until, only, label, channels }: FigureFinding) {
  const isWholeDays = from % DAY_MS === 0 && until % DAY_MS === 0;
  return [
    only && sql`channel_id IN (SELECT value FROM json_each(${JSON.stringify(only)}))`,
    label &&
      sql`EXISTS (SELECT 1 FROM posts p JOIN json_each(p.labels) l WHERE p.workspace_id = ${workspaceId} AND p.id = post_id
        AND l.value = ${label})`,
    channels && isWithinReach(workspaceId, JSON.stringify(channels), sql`post_id`, sql`channel_id`),
    // The days of measurements are UTC days; the first and the last one may belong to the period in part.
    isWholeDays
      ? null
      : sql`EXISTS (SELECT 1 FROM deliveries d WHERE d.workspace_id = ${workspaceId} AND d.post_id = measurements.post_id
        AND d.channel_id = measurements.channel_id AND d.published_at >= ${from} AND d.published_at < ${until})`,
  ];
}

/** Restricts a statement to deliveries whose post has no channel outside a list, a JSON array. */
export function isWithinReach(workspaceId: string, channelList: string, postId: SQL, channelId: SQL): SQL {
  const list = sql`(SELECT value FROM json_each(${channelList}))`;
  return sql`${channelId} IN ${list} AND NOT EXISTS (SELECT 1 FROM posts p JOIN json_each(p.channels) c
    WHERE p.workspace_id = ${workspaceId} AND p.id = ${postId} AND c.value NOT IN ${list})`;
}
