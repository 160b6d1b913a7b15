import { and, eq } from "drizzle-orm";
import type { Database } from "./db.ts";
import { usageMonths, workspaces } from "./schema.ts";

/** What a workspace has used: posts of a month (`2026-11`), staged bytes, and its plan. */
export async function readUsage(db: Database, workspaceId: string, month: string) {
  const [[workspace], [use]] = await db.batch([
    db
      .select({ plan: workspaces.plan, stagedBytes: workspaces.stagedBytes })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId)),
    db
      .select({ posts: usageMonths.posts })
      .from(usageMonths)
      .where(and(eq(usageMonths.workspaceId, workspaceId), eq(usageMonths.month, month))),
  ]);
  return workspace && { ...workspace, posts: use?.posts ?? 0 };
}
