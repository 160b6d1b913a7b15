// All sealed values, walked through in the order of their keys: how a new sealing key reaches what the old ones sealed.
import { and, asc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { Database } from "./db.ts";
import { channels, deliveries, webhooks, workspaceKeys } from "./schema.ts";

export type SealedKind = "channel-credential" | "delivery-token" | "webhook-secret" | "workspace-key";
export interface SealedRow {
  workspaceId: string;
  id: string;
  sealed: string;
}

const columnsOf = {
  "channel-credential": {
    table: channels,
    workspaceId: channels.workspaceId,
    id: channels.id,
    sealed: channels.credential,
  },
  "delivery-token": {
    table: deliveries,
    workspaceId: deliveries.workspaceId,
    id: deliveries.id,
    sealed: deliveries.netToken,
  },
  "webhook-secret": {
    table: webhooks,
    workspaceId: webhooks.workspaceId,
    id: webhooks.id,
    sealed: webhooks.secret,
  },
  "workspace-key": {
    table: workspaceKeys,
    workspaceId: workspaceKeys.workspaceId,
    id: workspaceKeys.id,
    sealed: workspaceKeys.sealed,
  },
} as const;

/** The next sealed values of a kind after a row. */
export async function sealedAfter(
  db: Database,
  kind: SealedKind,
  after: { workspaceId: string; id: string },
  limit: number,
): Promise<SealedRow[]> {
  const { table, workspaceId, id, sealed } = columnsOf[kind];
  const rows = await db
    .select({ workspaceId, id, sealed })
    .from(table)
    .where(and(isNotNull(sealed), gt(sql`(${workspaceId}, ${id})`, sql`(${after.workspaceId}, ${after.id})`)))
    .orderBy(asc(workspaceId), asc(id))
    .limit(limit);
  return rows.flatMap((row) => (row.sealed === null ? [] : [{ ...row, sealed: row.sealed }]));
}

/** Puts a value that was sealed anew in the place of the one that was read, unless somebody has changed it meanwhile. */
export async function replaceSealed(db: Database, kind: SealedKind, row: SealedRow, sealed: string): Promise<void> {
  const { workspaceId, id, sealed: column } = columnsOf[kind];
  const asRead = and(eq(workspaceId, row.workspaceId), eq(id, row.id), eq(column, row.sealed));
  switch (kind) {
    case "channel-credential":
      await db.update(channels).set({ credential: sealed }).where(asRead);
      break;
    case "delivery-token":
      await db.update(deliveries).set({ netToken: sealed }).where(asRead);
      break;
    case "webhook-secret":
      await db.update(webhooks).set({ secret: sealed }).where(asRead);
      break;
    case "workspace-key":
      await db.update(workspaceKeys).set({ sealed }).where(asRead);
      break;
  }
}
