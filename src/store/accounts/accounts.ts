import { and, asc, desc, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { OwnEntry } from "../../domain/audit.ts";
import type { Role } from "../../domain/roles.ts";
import { recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { members, resetLinks, sessions, users, workspaceKeys, workspaces } from "../db/schema.ts";
import { endUnproven } from "./end-unproven.ts";
import { hasFactor } from "./factors.ts";
import { isOwned } from "./members.ts";
import { endSignIns, NEXT_DEVICE_GENERATION } from "./passwords.ts";
import { isMade } from "./sign-up.ts";

export type UserRow = typeof users.$inferSelect;
export type WorkspaceRow = typeof workspaces.$inferSelect;
/** `isOwned`: whether the workspace has an owner. */
export type Membership = WorkspaceRow & { role: Role; isOwned: boolean };

/** `email`: as it was normalised at sign-up. */
export async function findUserByEmail(db: Database, email: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.email, email));
  return row;
}

export async function findUser(db: Database, id: string): Promise<UserRow | undefined> {
  const [row] = await db.select().from(users).where(eq(users.id, id));
  return row;
}

/**
 * The user of a session, with the columns that go into a proof of the session's device. Returns undefined if the session
 * has ended.
 */
export async function findDeviceAccount(
  db: Database,
  tokenHash: string,
): Promise<Pick<UserRow, "id" | "email" | "deviceGeneration"> | undefined> {
  const [row] = await db
    .select({ id: users.id, email: users.email, deviceGeneration: users.deviceGeneration })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(eq(sessions.tokenHash, tokenHash));
  return row;
}

/** All workspaces in which a user can act, oldest first. */
export async function listMemberships(db: Database, userId: string): Promise<Membership[]> {
  const rows = await db
    .select({ workspace: workspaces, role: members.role, isOwned: isOwned(workspaces.id) })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(eq(members.userId, userId))
    .orderBy(members.workspaceId);
  return rows.map(({ workspace, role, isOwned }) => ({ ...workspace, role, isOwned: isOwned === 1 }));
}

/** A page of the workspaces that a user owns, newest first. `before`: only workspaces with a lower id; `externalId`: only the one with it. */
export const listOwned = async (
  db: Database,
  userId: string,
  limit: number,
  before: string | null,
  externalId?: string,
): Promise<WorkspaceRow[]> => {
  const rows = await db
    .select({ workspace: workspaces })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(
      and(
        eq(members.userId, userId),
        eq(members.role, "owner"),
        before === null ? undefined : lt(members.workspaceId, before),
        externalId === undefined
          ? undefined
          : and(eq(workspaces.externalOwner, userId), eq(workspaces.externalId, externalId)),
      ),
    )
    .orderBy(desc(members.workspaceId))
    .limit(limit);
  return rows.map(({ workspace }) => workspace);
};

/**
 * The statement that creates a user if `condition` holds; it returns whether it did. Fails on `users.email` if the
 * email is taken.
 */
export function insertUser(db: Database, row: typeof users.$inferInsert, condition: SQL) {
  return insertFrom(db, users, row, sql`WHERE ${condition}`).returning({ id: users.id });
}

/** The statements that create a workspace with its owner and its key, if the owner has an account. */
export function insertWorkspace(
  db: Database,
  workspace: typeof workspaces.$inferInsert,
  owner: string,
  key: { id: string; hash: string; sealed: string },
) {
  const { id: workspaceId, createdAt } = workspace;
  const condition = sql`WHERE ${isMade(owner)}`;
  return [
    insertFrom(db, workspaces, workspace, condition),
    insertFrom(db, members, { workspaceId, userId: owner, role: "owner", createdAt }, condition),
    insertFrom(db, workspaceKeys, { workspaceId, ...key, createdAt }, condition),
  ] as const;
}

/** Stores a reset link and voids the user's earlier ones. */
export async function storeResetLink(db: Database, row: typeof resetLinks.$inferInsert): Promise<void> {
  await db.batch([db.delete(resetLinks).where(eq(resetLinks.userId, row.userId)), db.insert(resetLinks).values(row)]);
}

/** The result of using a reset link. */
export interface ResetUser {
  user: UserRow;
  /** Whether the account's address was unverified. If so, the reset has ended everything that was made in the account. */
  wasUnproven: boolean;
  /** Whether a session has begun; false: the account has a second factor. */
  isSignedIn: boolean;
  /** The keys that were revoked by the reset. */
  revokedKeys: string[];
}

/**
 * Uses up a reset link, all or nothing: sets the new password, marks the owner's address as verified, ends all their
 * sessions, device proofs and client apps, and begins a session unless the account has a second factor. If the
 * account's address was unverified, everything that was made in the account ends too. Returns undefined if the link was
 * used, has expired or never existed.
 */
export async function useResetLink(
  db: Database,
  tokenHash: string,
  passwordHash: string,
  { session, entry }: { session: Omit<typeof sessions.$inferInsert, "userId">; entry: OwnEntry },
): Promise<ResetUser | undefined> {
  const [link] = await db.select().from(resetLinks).where(eq(resetLinks.tokenHash, tokenHash));
  if (link === undefined) return undefined;
  const { userId } = link;
  // The link is marked with the hash of the new session, so of two concurrent calls, only the one that used it sees its mark.
  const mine = sql`EXISTS (SELECT 1 FROM ${resetLinks} WHERE ${resetLinks.tokenHash} = ${tokenHash}
    AND ${resetLinks.usedAt} = ${session.createdAt} AND ${resetLinks.usedBy} = ${session.tokenHash})`;
  const {
    used,
    before,
    revokedKeys,
    revokedNamedKeys,
    session: sessionRows,
  } = await batch(db, {
    used: db
      .update(resetLinks)
      .set({ usedAt: session.createdAt, usedBy: session.tokenHash })
      .where(and(eq(resetLinks.tokenHash, tokenHash), isNull(resetLinks.usedAt), gt(resetLinks.expiresAt, NOW)))
      .returning({ userId: resetLinks.userId }),
    before: db.select({ emailVerifiedAt: users.emailVerifiedAt }).from(users).where(eq(users.id, userId)),
    ...endUnproven(db, { ...entry, userId }, mine),
    user: db
      .update(users)
      .set({
        passwordHash,
        emailVerifiedAt: sql`COALESCE(${users.emailVerifiedAt}, ${NOW})`,
        deviceGeneration: NEXT_DEVICE_GENERATION,
      })
      .where(and(eq(users.id, userId), mine)),
    ...endSignIns(db, userId, mine, null),
    session: insertFrom(
      db,
      sessions,
      { ...session, userId },
      sql`WHERE ${mine} AND NOT ${hasFactor(userId)}`,
    ).returning({ userId: sessions.userId }),
    recorded: recordOwnAct(db, { ...entry, userId }),
  });
  const user = used.length === 0 ? undefined : await findUser(db, userId);
  if (user === undefined) return undefined;
  const wasUnproven = before[0]?.emailVerifiedAt === null;
  const isSignedIn = sessionRows.length === 1;
  return { user, wasUnproven, isSignedIn, revokedKeys: [...revokedKeys, ...revokedNamedKeys].map(({ id }) => id) };
}

/** Renames a user; null: removes the name. */
export async function renameUser(db: Database, userId: string, name: string | null): Promise<void> {
  await db.update(users).set({ name }).where(eq(users.id, userId));
}

/** Counts the workspaces that a user owns (`held`), and returns the plan of the first. */
export async function ownedBy(db: Database, userId: string): Promise<{ held: number; plan: string | null }> {
  const rows = await db
    .select({ plan: workspaces.plan })
    .from(members)
    .innerJoin(workspaces, eq(workspaces.id, members.workspaceId))
    .where(and(eq(members.userId, userId), eq(members.role, "owner")))
    .orderBy(asc(members.createdAt), asc(members.workspaceId));
  return { held: rows.length, plan: rows[0]?.plan ?? null };
}
