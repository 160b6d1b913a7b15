// All sealed values, walked through in the order of their keys: how a new sealing key reaches what the old ones sealed.
import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import type { Database } from "./db/db.ts";
import { channels, deliveries, webhooks, workspaceKeys } from "./db/schema.ts";

export type SealedKind = "channel-credential" | "publish-handle" | "webhook-secret" | "workspace-key";
export interface SealedRow {
  workspaceId: string;
  id: string;
  /** Where it stands in the walk through its workspace. */
  place: string;
  sealed: string;
}

/** `key`: what is left of the table's key behind the workspace; no part of it holds a space. */
const columnsOf = {
  "channel-credential": { table: channels, key: [channels.id], sealed: channels.credential },
  "publish-handle": {
    table: deliveries,
    key: [deliveries.postId, deliveries.channelId],
    sealed: deliveries.publishHandle,
  },
  "webhook-secret": { table: webhooks, key: [webhooks.id], sealed: webhooks.secret },
  "workspace-key": { table: workspaceKeys, key: [workspaceKeys.id], sealed: workspaceKeys.sealed },
} as const;

/** The next sealed values of a kind after a row. */
export async function sealedAfter(
  db: Database,
  kind: SealedKind,
  after: { workspaceId: string; place: string },
  limit: number,
): Promise<SealedRow[]> {
  const { table, key, sealed } = columnsOf[kind];
  const columns = sql.join([table.workspaceId, ...key], sql`, `);
  const parts = after.place.split(" ");
  const values = [after.workspaceId, ...key.map((_, i) => parts[i] ?? "")].map((value) => sql`${value}`);
  const rows = await db
    .select({
      workspaceId: table.workspaceId,
      id: table.id,
      place: sql<string>`${sql.join([...key], sql` || ' ' || `)}`,
      sealed,
    })
    .from(table)
    .where(and(isNotNull(sealed), sql`(${columns}) > (${sql.join(values, sql`, `)})`))
    .orderBy(asc(table.workspaceId), ...key.map((column) => asc(column)))
    .limit(limit);
  return rows.flatMap((row) => (row.sealed === null ? [] : [{ ...row, sealed: row.sealed }]));
}

/** Puts a value that was sealed anew in the place of the one that was read, unless somebody has changed it meanwhile. */
export async function replaceSealed(db: Database, kind: SealedKind, row: SealedRow, sealed: string): Promise<void> {
  const { table, key, sealed: column } = columnsOf[kind];
  const parts = row.place.split(" ");
  const asRead = and(
    eq(table.workspaceId, row.workspaceId),
    ...key.map((column, i) => {
      const part = parts[i];
      if (part === undefined) throw new Error("a sealed row has no place");
      return eq(column, part);
    }),
    eq(column, row.sealed),
  );
  switch (kind) {
    case "channel-credential":
      await db.update(channels).set({ credential: sealed }).where(asRead);
      break;
    case "publish-handle":
      await db.update(deliveries).set({ publishHandle: sealed }).where(asRead);
      break;
    case "webhook-secret":
      await db.update(webhooks).set({ secret: sealed }).where(asRead);
      break;
    case "workspace-key":
      await db.update(workspaceKeys).set({ sealed }).where(asRead);
      break;
  }
}
