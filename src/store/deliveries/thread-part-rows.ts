// The published parts of threads. Each is a row of its own, which is written when the part is proven to be live.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { LiveThreadPart } from "../../domain/delivery/thread.ts";
import { type Database, insertFrom, type RowIn } from "../db/db.ts";
import { rowAsJson } from "../db/row-as-json.ts";
import { deliveries, threadParts } from "../db/schema.ts";
import type { DeliveryKey } from "./delivery-key.ts";

const isOfDelivery = (key: RowIn<DeliveryKey>) =>
  and(
    eq(threadParts.workspaceId, key.workspaceId),
    eq(threadParts.postId, key.postId),
    eq(threadParts.channelId, key.channelId),
  );

const threadPartJson = rowAsJson(threadParts);
const ofOuterDelivery = sql`FROM ${threadParts} WHERE ${isOfDelivery(deliveries)}`;

/** The published parts of the delivery that a statement reads, as one value. A delivery that published nothing has none. */
export const threadPartsJson = {
  array: sql`CASE WHEN ${deliveries.publishedAt} IS NULL THEN json_array()
    ELSE (SELECT json_group_array(${threadPartJson.array}) ${ofOuterDelivery}) END`,
  read: (rows: unknown[][][]): LiveThreadPart[] =>
    rows.map((cells) => threadPartJson.read(cells)).sort((a, b) => a.position - b.position),
};

/** How many parts of the delivery that a statement reads are published. */
export const countThreadParts = sql`(SELECT COUNT(*) ${ofOuterDelivery})`;

/** True of a delivery with a part that is gone from its network. */
export const hasRemovedThreadPart = sql`EXISTS (SELECT 1 ${ofOuterDelivery} AND ${threadParts.isRemoved})`;

/** The table of parts that records bring: the delivery of each, and the part as JSON. */
interface PartTable {
  key: RowIn<DeliveryKey>;
  table: SQL;
  part: SQL;
}

/** The statement that adds the next part of each delivery for which `condition` holds. */
export function insertThreadParts(db: Database, { key, table, part }: PartTable, condition: SQL | undefined) {
  const field = (name: keyof LiveThreadPart) => sql`(${part} ->> ${sql.raw(`'$.${name}'`)})`;
  const row = {
    ...key,
    position: field("position"),
    id: field("id"),
    url: field("url"),
    urlState: field("urlState"),
    publishedAt: field("publishedAt"),
    attempts: field("attempts"),
    publishKey: field("publishKey"),
    missingSince: field("missingSince"),
    isRemoved: field("isRemoved"),
  };
  const isNext = sql`${countThreadParts} = ${row.position}`;
  return insertFrom(db, threadParts, row, sql`FROM ${table} CROSS JOIN ${deliveries} WHERE ${condition} AND ${isNext}`);
}

/** The statement that marks a part as gone from its network, if `condition` holds for its delivery. */
export const markThreadPartRemoved = (db: Database, key: DeliveryKey, position: number, condition: SQL | undefined) =>
  db
    .update(threadParts)
    .set({ isRemoved: true })
    .where(
      and(
        isOfDelivery(key),
        eq(threadParts.position, position),
        sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${condition})`,
      ),
    );

/**
 * The statement that writes what a recheck found of each part, if `condition` holds for the delivery. A part that was taken
 * down in the meantime stays removed.
 */
export function updateRecheckedThreadParts(
  db: Database,
  key: DeliveryKey,
  parts: readonly LiveThreadPart[],
  condition: SQL | undefined,
) {
  const rechecked = parts.map(({ position, url, urlState, missingSince, isRemoved }) => ({
    position,
    url,
    urlState,
    missingSince,
    isRemoved,
  }));
  const field = (name: keyof LiveThreadPart) => sql`(rechecked.value ->> ${sql.raw(`'$.${name}'`)})`;
  return db
    .update(threadParts)
    .set({
      url: field("url"),
      urlState: field("urlState"),
      missingSince: field("missingSince"),
      isRemoved: sql`MAX(${threadParts.isRemoved}, ${field("isRemoved")})`,
    })
    .from(sql`json_each(${JSON.stringify(rechecked)}) AS rechecked`)
    .where(
      and(
        isOfDelivery(key),
        sql`${threadParts.position} = ${field("position")}`,
        sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${condition})`,
      ),
    );
}
