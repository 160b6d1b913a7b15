// Counts a workspace's drafts and their bytes against its plan. Each change of a draft has these statements in its
// batch, so no two changes take the same room.
import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Database } from "../db/db.ts";
import { workspaces } from "../db/schema.ts";

/** The growth that a change causes in a workspace's drafts; negative if it takes away. */
export interface DraftGrowth {
  drafts: number;
  bytes: number;
}
/** null: no limit. */
export interface DraftRoom {
  draftsMax: number | null;
  bytesMax: number | null;
}

/** True while a workspace has room for a change; a change that takes away always fits. */
export function draftsFit(
  workspaceId: string,
  { drafts, bytes }: DraftGrowth,
  { draftsMax, bytesMax }: DraftRoom,
): SQL {
  const fits = (usedAmount: SQLWrapper, growth: number, max: number | null) =>
    sql`(${growth <= 0 || max === null} OR ${usedAmount} + ${growth} <= ${max})`;
  return sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
    AND ${fits(workspaces.drafts, drafts, draftsMax)} AND ${fits(workspaces.draftBytes, bytes, bytesMax)})`;
}

/** The statements that count a change, if `condition` holds; a change of nothing needs no statements. */
export function countDrafts(db: Database, workspaceId: string, { drafts, bytes }: DraftGrowth, condition: SQL) {
  if (drafts === 0 && bytes === 0) return [];
  return [
    db
      .update(workspaces)
      .set({
        drafts: sql`${workspaces.drafts} + ${drafts}`,
        draftBytes: sql`${workspaces.draftBytes} + ${bytes}`,
      })
      .where(and(eq(workspaces.id, workspaceId), condition)),
  ];
}
