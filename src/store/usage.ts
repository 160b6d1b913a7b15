import { and, eq, isNull, sql } from "drizzle-orm";
import type { Micros } from "../domain/money.ts";
import { type Statements, toStatements } from "./db/batch.ts";
import type { Database, In } from "./db/db.ts";
import { channels, usageMonths, workspaces } from "./db/schema.ts";
import { ALL_POSTS, selectUse } from "./posts/spending.ts";

export interface Usage {
  plan: string;
  stagedBytes: number;
  drafts: number;
  draftBytes: number;
  posts: number;
  /** The month's spending, and its limit; null: no limit. */
  spent: Micros;
  budget: Micros | null;
}

/** The usage of a workspace: posts of a month (`2026-11`), staged bytes, drafts, and its plan. */
export function readUsage(db: Database, workspaceId: In<string>, month: string): Statements<Usage | undefined> {
  return toStatements(
    {
      workspace: db
        .select({
          plan: workspaces.plan,
          stagedBytes: workspaces.stagedBytes,
          drafts: workspaces.drafts,
          draftBytes: workspaces.draftBytes,
          budget: workspaces.budget,
        })
        .from(workspaces)
        .where(eq(workspaces.id, workspaceId)),
      use: selectUse(db, workspaceId, month),
    },
    ({ workspace: [workspace], use: [use] }) =>
      workspace && { ...workspace, posts: use?.posts ?? 0, spent: use?.spent[ALL_POSTS] ?? 0 },
  );
}

export interface WorkspaceUsage {
  workspaceId: string;
  /** Posts of the month. */
  posts: number;
  mediaBytes: number;
  channels: number;
}

/** The usage of several workspaces in a month, for those whose rows are in this database. */
export const readUsageOfEach = (db: Database, workspaceIds: string[], month: string): Promise<WorkspaceUsage[]> =>
  db
    .select({
      workspaceId: workspaces.id,
      posts: sql<number>`COALESCE(${usageMonths.posts}, 0)`.as("posts"),
      mediaBytes: workspaces.stagedBytes,
      channels: sql<number>`(SELECT COUNT(*) FROM ${channels} WHERE ${and(
        eq(channels.workspaceId, workspaces.id),
        isNull(channels.removedAt),
      )})`.as("channels"),
    })
    .from(workspaces)
    .leftJoin(usageMonths, and(eq(usageMonths.workspaceId, workspaces.id), eq(usageMonths.month, month)))
    .where(sql`${workspaces.id} IN (SELECT value FROM json_each(${JSON.stringify(workspaceIds)}))`);
