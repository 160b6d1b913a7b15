import { and, eq } from "drizzle-orm";
import { type BatchPart, batchPart } from "./db/batch.ts";
import type { Database, In } from "./db/db.ts";
import { usageMonths, workspaces } from "./db/schema.ts";

export interface Usage {
  plan: string;
  stagedBytes: number;
  drafts: number;
  draftBytes: number;
  posts: number;
}

/** What a workspace has used: posts of a month (`2026-11`), staged bytes, drafts, and its plan. */
export function readUsage(db: Database, workspaceId: In<string>, month: string): BatchPart<Usage | undefined> {
  return batchPart(
    {
      workspace: db
        .select({
          plan: workspaces.plan,
          stagedBytes: workspaces.stagedBytes,
          drafts: workspaces.drafts,
          draftBytes: workspaces.draftBytes,
        })
        .from(workspaces)
        .where(eq(workspaces.id, workspaceId)),
      use: db
        .select({ posts: usageMonths.posts })
        .from(usageMonths)
        .where(and(eq(usageMonths.workspaceId, workspaceId), eq(usageMonths.month, month))),
    },
    ({ workspace: [workspace], use: [use] }) => workspace && { ...workspace, posts: use?.posts ?? 0 },
  );
}
