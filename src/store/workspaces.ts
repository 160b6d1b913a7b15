import { and, eq, isNull, sql } from "drizzle-orm";
import { type Database, NOW } from "./db.ts";
import { audit, members, workspaceKeys, workspaces } from "./schema.ts";

/** The workspace of a key and whether the key still stands; undefined when there was never such a key. */
export async function findKey(db: Database, hash: string) {
  const [row] = await db
    .select({
      id: workspaceKeys.id,
      workspaceId: workspaceKeys.workspaceId,
      revokedAt: workspaceKeys.revokedAt,
      lastUsedAt: workspaceKeys.lastUsedAt,
    })
    .from(workspaceKeys)
    .where(eq(workspaceKeys.hash, hash));
  return row;
}

export async function touchKey(db: Database, workspaceId: string, keyId: string): Promise<void> {
  await db
    .update(workspaceKeys)
    .set({ lastUsedAt: NOW })
    .where(and(eq(workspaceKeys.workspaceId, workspaceId), eq(workspaceKeys.id, keyId)));
}

/** The workspace, with the user's role in it; undefined when it does not exist or the user is no member. */
export async function findMembership(db: Database, workspaceId: string, userId: string) {
  const [row] = await db
    .select({ workspace: workspaces, role: members.role })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
  return row;
}

export async function getWorkspace(db: Database, workspaceId: string) {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, workspaceId));
  return row;
}

export async function currentKey(db: Database, workspaceId: string) {
  const [row] = await db
    .select()
    .from(workspaceKeys)
    .where(and(eq(workspaceKeys.workspaceId, workspaceId), isNull(workspaceKeys.revokedAt)));
  return row;
}

/** Keeps who did what to a workspace's secrets. */
export async function writeAudit(
  db: Database,
  row: { workspaceId: string; id: string; userId: string; act: string },
): Promise<void> {
  await db.insert(audit).values({ ...row, at: sql`${NOW}` });
}
