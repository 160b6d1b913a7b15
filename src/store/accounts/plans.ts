import { sql } from "drizzle-orm";
import type { AccountEntry } from "../../domain/audit.ts";
import { recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { members, workspaces } from "../db/schema.ts";

type PlanOfWorkspace = Pick<typeof workspaces.$inferSelect, "id" | "name" | "plan" | "planStatus">;

/** Sets the plan of all workspaces that a user owns. `planStatus`: undefined leaves it. Returns the workspaces. */
export async function setPlanOfOwner(
  db: Database,
  change: { plan: string; planStatus: PlanOfWorkspace["planStatus"] | undefined },
  entry: AccountEntry,
): Promise<PlanOfWorkspace[]> {
  const owned = sql`(SELECT mine.workspace_id FROM members mine WHERE mine.user_id = ${entry.userId} AND mine.role = 'owner')`;
  const { changed } = await batch(db, {
    changed: db.update(workspaces).set(change).where(sql`${workspaces.id} IN ${owned}`).returning({
      id: workspaces.id,
      name: workspaces.name,
      plan: workspaces.plan,
      planStatus: workspaces.planStatus,
    }),
    recorded: recordOwnAct(db, entry, sql`${members.role} = 'owner'`),
  });
  return changed;
}
