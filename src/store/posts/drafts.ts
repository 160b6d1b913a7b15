// What a workspace's drafts count: their number and their bytes, against its plan. Each change of a draft carries these
// statements in its batch, so that no two of them take the same room.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/db.ts";
import { workspaces } from "../db/schema.ts";

/** What a change adds to a workspace's drafts, or takes away. */
export interface DraftGrowth {
  drafts: number;
  bytes: number;
}
/** null: no limit. */
export interface DraftRoom {
  draftsMax: number | null;
  bytesMax: number | null;
}

/** True while a workspace has room for a change; one that takes away always has. */
export function draftsFit(
  workspaceId: string,
  { drafts, bytes }: DraftGrowth,
  { draftsMax, bytesMax }: DraftRoom,
): SQL {
  const fits = (held: SQL | typeof workspaces.drafts, growth: number, max: number | null) =>
    sql`(${growth <= 0 || max === null} OR ${held} + ${growth} <= ${max})`;
  return sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
    AND ${fits(workspaces.drafts, drafts, draftsMax)} AND ${fits(sql`${workspaces.draftBytes}`, bytes, bytesMax)})`;
}

/** The statements that count a change, if `condition` holds: none for one that changes nothing. */
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
