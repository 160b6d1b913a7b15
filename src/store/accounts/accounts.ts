import { and, asc, eq, isNull, lte, sql } from "drizzle-orm";
import { UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { channels, clearances, members, resetLinks, sessions, users, workspaceKeys, workspaces } from "../db/schema.ts";
import { endUnproven } from "./end-unproven.ts";
import { endSignIns } from "./passwords.ts";

export type UserRow = typeof users.$inferSelect;
export type WorkspaceRow = typeof workspaces.$inferSelect;
export type Membership = WorkspaceRow & { role: "owner" | "member" };

/** `email` as normalised at sign-up. */
export async function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email));
  return row;
}

export async function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row;
}

/** Every workspace that a user can act on, oldest first. */
export async function membershipsOf(db: Database, userId: string): Promise<Membership[]> {
  const rows = await db
    .select({ workspace: workspaces, role: members.role })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, userId))
    .orderBy(members.workspaceId);
  return rows.map(({ workspace, role }) => ({ ...workspace, role }));
}

/** The statements that make a user. Fails on `users.email` when the email is taken. */
export function insertUser(db: Database, row: typeof users.$inferInsert) {
  return db.insert(users).values(row);
}

/** The statements that make a workspace with its owner and its key. */
export function insertWorkspace(
  db: Database,
  workspace: typeof workspaces.$inferInsert,
  owner: string,
  key: { id: string; hash: string; sealed: string },
) {
  const { id: workspaceId, createdAt } = workspace;
  return [
    db.insert(workspaces).values(workspace),
    db.insert(members).values({ workspaceId, userId: owner, role: "owner", createdAt }),
    db.insert(workspaceKeys).values({ workspaceId, ...key, createdAt }),
  ] as const;
}

/** Stores a reset link and voids the user's older ones. */
export async function storeResetLink(db: Database, row: typeof resetLinks.$inferInsert): Promise<void> {
  await db.batch([db.delete(resetLinks).where(eq(resetLinks.userId, row.userId)), db.insert(resetLinks).values(row)]);
}

/** What the use of a reset link came to. */
export interface ResetUser {
  user: UserRow;
  /** Whether nobody had proven the account's address: all that was made in it has ended. */
  wasUnproven: boolean;
  /** The keys that were revoked with it. */
  revokedKeys: string[];
}

/**
 * Uses up a reset link: the new password is set, its owner's address is proven, every session of theirs and every client
 * app that they let in ends and a fresh session begins, all or nothing. In an account whose address nobody had proven, all
 * that was made before ends too. Returns undefined when the link was used, has expired or never was.
 */
export async function useResetLink(
  db: Database,
  tokenHash: string,
  passwordHash: string,
  session: Omit<typeof sessions.$inferInsert, "userId">,
): Promise<ResetUser | undefined> {
  const [link] = await db.select().from(resetLinks).where(eq(resetLinks.tokenHash, tokenHash));
  if (link === undefined) return undefined;
  const { userId } = link;
  // The mark is this session's own hash, so that of two uses at once only one sees its own.
  const mine = sql`EXISTS (SELECT 1 FROM ${resetLinks} WHERE ${resetLinks.tokenHash} = ${tokenHash}
    AND ${resetLinks.usedAt} = ${session.createdAt} AND ${resetLinks.usedBy} = ${session.tokenHash})`;
  const { used, before, revokedKeys } = await batch(db, {
    used: db
      .update(resetLinks)
      .set({ usedAt: session.createdAt, usedBy: session.tokenHash })
      .where(and(eq(resetLinks.tokenHash, tokenHash), isNull(resetLinks.usedAt), sql`${resetLinks.expiresAt} > ${NOW}`))
      .returning({ userId: resetLinks.userId }),
    before: db.select({ emailVerifiedAt: users.emailVerifiedAt }).from(users).where(eq(users.id, userId)),
    ...endUnproven(db, userId, mine),
    user: db
      .update(users)
      .set({ passwordHash, emailVerifiedAt: sql`COALESCE(${users.emailVerifiedAt}, ${NOW})` })
      .where(and(eq(users.id, userId), mine)),
    ...endSignIns(db, userId, mine, null),
    session: insertFrom(db, sessions, { ...session, userId }, sql`WHERE ${mine}`),
  });
  const user = used.length === 0 ? undefined : await findUser(db, userId);
  if (user === undefined) return undefined;
  const wasUnproven = before[0]?.emailVerifiedAt === null;
  return { user, wasUnproven, revokedKeys: revokedKeys.map(({ id }) => id) };
}

/** Gives a user another name; null: none. */
export async function renameUser(db: Database, userId: string, name: string | null): Promise<void> {
  await db.update(users).set({ name }).where(eq(users.id, userId));
}

/**
 * Erases a user, and the workspaces that nobody else belongs to with every row of theirs; returns those, and the keys
 * that were good until then. A shared workspace that the user owned goes to its longest-standing member.
 */
export async function eraseUser(db: Database, userId: string): Promise<{ workspaceIds: string[]; keyIds: string[] }> {
  const alone = sql`(SELECT mine.workspace_id FROM members mine WHERE mine.user_id = ${userId} AND NOT EXISTS
    (SELECT 1 FROM members other WHERE other.workspace_id = mine.workspace_id AND other.user_id <> ${userId}))`;
  const { keys, erased } = await batch(db, {
    keys: db
      .select({ id: workspaceKeys.id })
      .from(workspaceKeys)
      .where(and(sql`${workspaceKeys.workspaceId} IN ${alone}`, isNull(workspaceKeys.revokedAt))),
    clearances: insertFrom(
      db,
      clearances,
      {
        workspaceId: sql`workspace_id`,
        since: NOW,
        lanes: sql`1 + COALESCE((SELECT MAX(${channels.lane}) FROM ${channels} WHERE ${channels.workspaceId} = alone.workspace_id), 0)`,
      },
      sql`FROM ${alone} AS alone WHERE TRUE`,
    ).onConflictDoNothing(),
    erased: db.delete(workspaces).where(sql`${workspaces.id} IN ${alone}`).returning({ id: workspaces.id }),
    heirs: db
      .update(members)
      .set({ role: "owner" })
      .where(
        sql`EXISTS (SELECT 1 FROM members mine WHERE mine.workspace_id = ${members.workspaceId} AND mine.user_id = ${userId} AND mine.role = 'owner')
          AND ${members.userId} = (SELECT heir.user_id FROM members heir WHERE heir.workspace_id = ${members.workspaceId}
            AND heir.user_id <> ${userId} ORDER BY heir.created_at, heir.user_id LIMIT 1)`,
      ),
    user: db.delete(users).where(eq(users.id, userId)),
  });
  return { workspaceIds: erased.map(({ id }) => id), keyIds: keys.map(({ id }) => id) };
}

/** A user's own workspaces: how many, and the plan of the first. */
export async function ownedBy(db: Database, userId: string): Promise<{ held: number; plan: string | null }> {
  const rows = await db
    .select({ plan: workspaces.plan })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.userId, userId), eq(members.role, "owner")))
    .orderBy(asc(members.createdAt), asc(members.workspaceId));
  return { held: rows.length, plan: rows[0]?.plan ?? null };
}

/** Erased workspaces that are to be cleared outside the database now, longest due first. */
export async function workspacesToClear(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .select({ workspaceId: clearances.workspaceId })
    .from(clearances)
    .where(lte(clearances.nextAt, NOW))
    .orderBy(asc(clearances.nextAt))
    .limit(limit);
  return rows.map(({ workspaceId }) => workspaceId);
}

/** What clearing an erased workspace needs to know; `isOver`: whether no upload to it can arrive any more. */
export async function clearanceOf(
  db: Database,
  workspaceId: string,
): Promise<{ lanes: number; isOver: boolean } | undefined> {
  const [row] = await db
    .select({ lanes: clearances.lanes, isOver: sql<number>`${clearances.since} + ${UPLOAD_OVER_MS} <= ${NOW}` })
    .from(clearances)
    .where(eq(clearances.workspaceId, workspaceId));
  return row && { lanes: row.lanes, isOver: row.isOver === 1 };
}

/** Notes that a workspace is cleared: for good when its clearing began with uploads `isOver`, else until they are. */
export async function markCleared(db: Database, workspaceId: string, { isOver }: { isOver: boolean }): Promise<void> {
  const isCleared = eq(clearances.workspaceId, workspaceId);
  if (isOver) await db.delete(clearances).where(isCleared);
  else
    await db
      .update(clearances)
      .set({ nextAt: sql`${clearances.since} + ${UPLOAD_OVER_MS}` })
      .where(isCleared);
}
