// What the networks counted: the newest figures of each delivery, and their sums by network and day, kept together.
import { and, eq, getTableColumns, gte, type SQL, sql } from "drizzle-orm";
import { FIGURES, type Figure, type Figures } from "../domain/figure.ts";
import { DAY_MS } from "../domain/limits.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db.ts";
import { type DeliveryKey, isDelivery } from "./delivery-key.ts";
import { deliveries } from "./schema.ts";
import { measurements, publishedDays } from "./schema-after.ts";

/** The statement that counts deliveries as published today, one for each row of `from` (`FROM ... WHERE ...`). */
export function countPublished(db: Database, of: RowIn<{ workspaceId: string; platform: string }>, from: SQL) {
  const day = sql`CAST(${NOW} / ${DAY_MS} AS INTEGER)`;
  const zeros = sql.raw(", 0".repeat(2 * FIGURES.length));
  return db
    .insert(publishedDays)
    .select(
      sql`SELECT ${of.workspaceId}, ${day}, ${of.platform}, COUNT(*)${zeros} ${from} GROUP BY ${of.workspaceId}, ${of.platform}`,
    )
    .onConflictDoUpdate({
      target: [publishedDays.workspaceId, publishedDays.day, publishedDays.platform],
      set: { deliveries: sql`${publishedDays.deliveries} + excluded.deliveries` },
    });
}

/**
 * Stores what a network reports of a live delivery now, in place of what it reported before, and corrects the day's sums
 * by the difference. `published.at`: epoch milliseconds.
 */
export async function storeFigures(
  db: Database,
  key: DeliveryKey,
  published: { platform: string; at: number },
  figures: Figures,
): Promise<void> {
  const { platform } = published;
  const day = Math.floor(published.at / DAY_MS);
  const before = (figure: Figure) =>
    sql`(SELECT ${measurements[figure]} FROM ${measurements} WHERE ${isMeasured(key)})`;
  const corrections = FIGURES.flatMap((figure): [string, SQL][] => {
    const value = sql`CAST(${figures[figure] ?? null} AS INTEGER)`;
    const [sum, count] = [publishedDays[`${figure}Sum`], publishedDays[`${figure}Count`]];
    return [
      [`${figure}Sum`, sql`${sum} + COALESCE(${value}, 0) - COALESCE(${before(figure)}, 0)`],
      [`${figure}Count`, sql`${count} + (${value} IS NOT NULL) - (${before(figure)} IS NOT NULL)`],
    ];
  });
  const reported = Object.fromEntries(FIGURES.map((figure) => [figure, figures[figure] ?? null]));
  const row = { ...key, platform, day, measuredAt: NOW, ...reported };
  await db.batch([
    db
      .update(publishedDays)
      .set(Object.fromEntries(corrections))
      .where(
        and(
          eq(publishedDays.workspaceId, key.workspaceId),
          eq(publishedDays.day, day),
          eq(publishedDays.platform, platform),
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

/** What one network published for a workspace on one day, with the sums of what it counts of it. */
export interface PublishedDay {
  platform: string;
  deliveries: number;
  figures: { figure: Figure; sum: number; count: number; oldest: number; newest: number }[];
}

/** The days of a workspace from `since` (epoch milliseconds) on. Reads sums, however many deliveries are behind them. */
export async function publishedSince(db: Database, workspaceId: string, since: number): Promise<PublishedDay[]> {
  const behind = (figure: Figure, edge: "MIN" | "MAX") => sql<number | null>`CASE WHEN
    ${publishedDays[`${figure}Count`]} > 0 THEN (SELECT ${sql.raw(edge)}(${measurements.measuredAt}) FROM ${measurements}
    INDEXED BY measurements_by_day WHERE ${measurements.workspaceId} = ${publishedDays.workspaceId}
    AND ${measurements.platform} = ${publishedDays.platform} AND ${measurements.day} = ${publishedDays.day}
    AND ${measurements[figure]} IS NOT NULL) END`;
  const edges = (edge: "MIN" | "MAX") =>
    sql<string>`json_array(${sql.join(
      FIGURES.map((figure) => behind(figure, edge)),
      sql`, `,
    )})`.mapWith((text: string): (number | null)[] => JSON.parse(text));
  const rows = await db
    .select({ ...getTableColumns(publishedDays), oldest: edges("MIN"), newest: edges("MAX") })
    .from(publishedDays)
    .where(and(eq(publishedDays.workspaceId, workspaceId), gte(publishedDays.day, Math.floor(since / DAY_MS))));
  return rows.map((row) => ({
    platform: row.platform,
    deliveries: row.deliveries,
    figures: FIGURES.flatMap((figure, i) => {
      const [oldest, newest] = [row.oldest[i] ?? null, row.newest[i] ?? null];
      if (oldest === null || newest === null) return [];
      return [{ figure, sum: row[`${figure}Sum`], count: row[`${figure}Count`], oldest, newest }];
    }),
  }));
}
