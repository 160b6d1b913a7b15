import { and, eq, isNull, sql } from "drizzle-orm";
import type { ApprovalSetting } from "../../domain/posts/approval.ts";
import { type BatchPart, batch, batchPart } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { audit, members, workspaceKeys, workspaces } from "../db/schema.ts";
import type { Membership } from "./accounts.ts";
import { isOwned, isOwner } from "./members.ts";

/** The workspace, with the user's role in it; undefined when it does not exist or the user is no member. */
export async function findMembership(
  db: Database,
  workspaceId: string,
  userId: string,
): Promise<Membership | undefined> {
  const [row] = await db
    .select({ workspace: workspaces, role: members.role, isOwned: isOwned(workspaces.id) })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId)));
  return row && { ...row.workspace, role: row.role, isOwned: row.isOwned === 1 };
}

export async function getWorkspace(db: Database, workspaceId: string) {
  const [row] = await db.select().from(workspaces).where(eq(workspaces.id, workspaceId));
  return row;
}

export function readTimezone(db: Database, workspaceId: In<string>): BatchPart<string> {
  const rows = db.select({ timezone: workspaces.timezone }).from(workspaces).where(eq(workspaces.id, workspaceId));
  return batchPart({ rows }, ({ rows: [row] }) => row?.timezone ?? "UTC");
}

export async function currentKey(db: Database, workspaceId: string) {
  const [row] = await db
    .select()
    .from(workspaceKeys)
    .where(and(eq(workspaceKeys.workspaceId, workspaceId), isNull(workspaceKeys.revokedAt)));
  return row;
}

/** Keeps that an owner is shown a workspace's key. False: they are none any more, and may not see it. */
export async function noteKeySeen(
  db: Database,
  row: { workspaceId: string; id: string; userId: string; act: "key.revealed" | "key.rotated"; keyId: string },
): Promise<boolean> {
  const { workspaceId, id, userId, act, keyId } = row;
  const noted = await db.all(sql`INSERT INTO ${audit} (workspace_id, at, id, user_id, act, key_id)
    SELECT ${workspaceId}, ${NOW}, ${id}, ${userId}, ${act}, ${keyId} WHERE ${isOwner(workspaceId, userId)} RETURNING id`);
  return noted.length === 1;
}

/** Changes what of a workspace is named; nothing named, nothing changed. */
export async function setFacts(
  db: Database,
  workspaceId: string,
  { name, approval, requireFactor }: { name?: string; approval?: ApprovalSetting; requireFactor?: boolean },
): Promise<void> {
  if (name === undefined && approval === undefined && requireFactor === undefined) return;
  await db.update(workspaces).set({ name, approval, requireFactor }).where(eq(workspaces.id, workspaceId));
}

export async function setTimezone(db: Database, workspaceId: string, timezone: string): Promise<void> {
  await db.update(workspaces).set({ timezone }).where(eq(workspaces.id, workspaceId));
}

/** Stores another workspace of `owner` if they own fewer than `workspacesMax` (null: no limit). Returns whether it was stored. */
export async function insertAnotherWorkspace(
  db: Database,
  workspace: typeof workspaces.$inferSelect,
  owner: string,
  key: { id: string; hash: string; sealed: string },
  workspacesMax: number | null,
): Promise<boolean> {
  const { id, createdAt } = workspace;
  const exists = sql`WHERE EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${id})`;
  const { rows } = await batch(db, {
    workspace: insertFrom(
      db,
      workspaces,
      workspace,
      sql`WHERE ${workspacesMax} IS NULL OR (SELECT COUNT(*) FROM ${members} WHERE ${members.userId} = ${owner}
        AND ${members.role} = 'owner') < ${workspacesMax}`,
    ),
    owner: insertFrom(db, members, { workspaceId: id, userId: owner, role: "owner", createdAt }, exists),
    key: insertFrom(db, workspaceKeys, { workspaceId: id, ...key, createdAt }, exists),
    rows: db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id)),
  });
  return rows.length === 1;
}

/** Puts a new key in the place of the current one, which is refused from now on. Returns the ids of the keys that it ends. */
export async function replaceKey(
  db: Database,
  workspaceId: string,
  key: { id: string; hash: string; sealed: string; createdAt: number },
): Promise<string[]> {
  const { ended } = await batch(db, {
    ended: db
      .update(workspaceKeys)
      .set({ revokedAt: NOW, sealed: null })
      .where(and(eq(workspaceKeys.workspaceId, workspaceId), isNull(workspaceKeys.revokedAt)))
      .returning({ id: workspaceKeys.id }),
    key: db.insert(workspaceKeys).values({ workspaceId, ...key }),
  });
  return ended.map(({ id }) => id);
}
