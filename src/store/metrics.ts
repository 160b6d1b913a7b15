// What the networks counted: the newest figures of each delivery, and their sums by network and day, kept together.
import { and, eq, getTableColumns, gte, type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../domain/limits.ts";
import { METRICS, type Metric, type Metrics } from "../domain/metrics.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db/db.ts";
import { deliveries, measuredDays, measurements, publishedDays } from "./db/schema.ts";
import { type DeliveryKey, isDelivery } from "./deliveries/delivery-key.ts";

/** The statement that counts deliveries as published today, one for each row of `from` (`FROM ... WHERE ...`). */
export function countPublished(db: Database, of: RowIn<{ workspaceId: string; platform: string }>, from: SQL) {
  const counted = sql`(SELECT ${of.workspaceId} AS workspace, ${of.platform} AS platform, COUNT(*) AS published ${from}
    GROUP BY 1, 2)`;
  return insertFrom(
    db,
    publishedDays,
    {
      workspaceId: sql`workspace`,
      day: sql`CAST(${NOW} / ${DAY_MS} AS INTEGER)`,
      counts: sql`json_group_object(platform, published)`,
    },
    sql`FROM ${counted} WHERE TRUE GROUP BY workspace`,
  ).onConflictDoUpdate({
    target: [publishedDays.workspaceId, publishedDays.day],
    set: {
      counts: sql`(SELECT json_group_object(key, published) FROM (SELECT key, SUM(value) AS published FROM
        (SELECT key, value FROM json_each(${publishedDays.counts}) UNION ALL SELECT key, value FROM json_each(excluded.counts))
        GROUP BY key))`,
    },
  });
}

/**
 * Stores what a network reports of a live delivery now, in place of what it reported before, and corrects the day's sums
 * by the difference. `published.at`: epoch milliseconds.
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

/** What one network published for a workspace on one day, or the sums of what it counts of that. */
export interface PublishedDay {
  platform: string;
  deliveries: number;
  figures: { figure: Metric; sum: number; count: number; oldest: number; newest: number }[];
}

/** The days of a workspace from `since` (epoch milliseconds) on. Reads sums, however many deliveries are behind them. */
export async function publishedSince(db: Database, workspaceId: string, since: number): Promise<PublishedDay[]> {
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
  const sinceDay = Math.floor(since / DAY_MS);
  const { published, measured } = await batch(db, {
    published: db
      .select({ counts: publishedDays.counts })
      .from(publishedDays)
      .where(and(eq(publishedDays.workspaceId, workspaceId), gte(publishedDays.day, sinceDay))),
    measured: db
      .select({ ...getTableColumns(measuredDays), oldest: edges("MIN"), newest: edges("MAX") })
      .from(measuredDays)
      .where(and(eq(measuredDays.workspaceId, workspaceId), gte(measuredDays.day, sinceDay))),
  });
  const counts = published.flatMap((day) => Object.entries(day.counts));
  return [
    ...counts.map(([platform, deliveries]) => ({ platform, deliveries, figures: [] })),
    ...measured.map((row) => ({
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
