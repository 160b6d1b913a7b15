import type { Context } from "../context.ts";
import type { Database } from "../store/db/db.ts";

/**
 * Looks up the database that holds a workspace's rows now. Meant for work that outlasts the minute for which a move
 * keeps the old rows readable.
 */
export async function findHomeNow({ homes }: Pick<Context, "homes">, workspaceId: string): Promise<Database> {
  if (!homes.isSingle) await homes.locateAnew(workspaceId);
  return homes.databaseOf(workspaceId);
}
