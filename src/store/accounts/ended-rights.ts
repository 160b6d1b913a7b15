// Finds uploads whose uploader has lost the rights to upload. Triggers record when rights end
// (migrations/0001_schema.sql).
import { sql } from "drizzle-orm";
import { UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { type Database, NOW } from "../db/db.ts";
import { endedRights, type media, namedKeys } from "../db/schema.ts";

type MediaRow = typeof media.$inferSelect;
export type Upload = Pick<MediaRow, "workspaceId" | "id" | "uploader" | "uploaderCredential" | "createdAt">;

/** A file's row, and when its bytes arrived, by the bucket's clock; null: they have not arrived. */
export interface Arrival {
  row: Upload & Pick<MediaRow, "state" | "etag">;
  uploadedAt: number | null;
}

/**
 * The ids of uploads that may never be used: the rights of their uploader had ended before the file arrived, or have
 * ended while it has not arrived yet. Callers must check the bucket first; a file that arrives after that is found by the
 * next check. A file whose content has been inspected is not affected, because no other content is accepted for it.
 */
export async function findLateUploads(accounts: Database, arrivals: Arrival[]): Promise<Set<string>> {
  const open = arrivals.filter(
    ({ row }) => row.state === "awaiting_upload" && row.etag === null && row.uploader !== null,
  );
  if (open.length === 0) return new Set();
  const ends = await findEnds(
    accounts,
    open.map(({ row }) => row),
  );
  const isLate = ({ row, uploadedAt }: Arrival) => (ends.get(row.id) ?? Infinity) <= (uploadedAt ?? Infinity);
  return new Set(open.filter((arrival) => ends.has(arrival.row.id) && isLate(arrival)).map(({ row }) => row.id));
}

/**
 * How far the clocks of a Worker and a database may differ. Rights that ended earlier than this before the upload was
 * requested are earlier rights, so their end does not matter.
 */
const CLOCKS_DIFFER_MS = 10_000;

/**
 * When the rights behind these uploads ended, by file id; epoch milliseconds. Omits files whose rights have not ended.
 */
async function findEnds(accounts: Database, uploads: Upload[]): Promise<Map<string, number>> {
  const facts = uploads.map(({ workspaceId, id, uploader, uploaderCredential, createdAt }) => ({
    workspaceId,
    id,
    uploader,
    uploaderCredential,
    createdAt,
  }));
  const list = sql`json_each(${JSON.stringify(facts)})`;
  const since = sql`value ->> 'createdAt' - ${CLOCKS_DIFFER_MS}`;
  const rows = await accounts.all<{ id: string; ended_at: number }>(sql`
    SELECT id, MIN(ended_at) AS ended_at FROM (
      SELECT value ->> 'id' AS id, ${endedRights.endedAt} AS ended_at FROM ${list} CROSS JOIN ${endedRights}
        ON ${endedRights.holder} IN (value ->> 'uploader', value ->> 'uploaderCredential') AND ${endedRights.endedAt} >= ${since}
      UNION ALL
      SELECT value ->> 'id', ${namedKeys.expiresAt} FROM ${list} CROSS JOIN ${namedKeys}
        ON ${namedKeys.workspaceId} = value ->> 'workspaceId' AND value ->> 'uploader' = 'key:' || ${namedKeys.workspaceId} || ':' || ${namedKeys.id}
        AND ${namedKeys.expiresAt} <= ${NOW}
    ) AS ends GROUP BY id`);
  return new Map(rows.map(({ id, ended_at: endedAt }) => [id, endedAt]));
}

/** Deletes records that are too old to concern any upload. */
export async function forgetEnds(accounts: Database, limit: number): Promise<void> {
  await accounts.delete(endedRights).where(
    sql`(${endedRights.holder}, ${endedRights.endedAt}) IN (SELECT holder, ended_at FROM ended_rights
      WHERE ended_at < ${NOW} - ${2 * UPLOAD_OVER_MS} ORDER BY ended_at LIMIT ${limit})`,
  );
}
