// The members of a workspace and their roles. A workspace keeps an owner: every statement that could remove the last
// owner requires another one, so if two run at once, one of them fails.
import { and, desc, eq, isNull, lt, ne, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { Role } from "../../domain/roles.ts";
import { nameOfUserWithId, recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { audit, invitations, members, users, workspaceKeys } from "../db/schema.ts";
import { selectEndedKeys } from "./keys.ts";

/** Whether a workspace has an owner, inside a statement. Its last owner may have erased their account. */
export const isOwned = (workspaceId: string | SQLWrapper): SQL<number> =>
  sql<number>`EXISTS (SELECT 1 FROM members acting WHERE acting.workspace_id = ${workspaceId} AND acting.role = 'owner')`;

/** Whether a workspace has a member other than a user, inside a statement. */
export const hasOtherMember = (workspaceId: In<string>, userId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM members other WHERE other.workspace_id = ${workspaceId} AND other.user_id <> ${userId})`;

/** Whether a user owns a workspace, inside a statement. */
export const isOwner = (workspaceId: In<string>, userId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM members acting WHERE acting.workspace_id = ${workspaceId} AND acting.user_id = ${userId}
    AND acting.role = 'owner')`;

/** Whether a workspace has an owner other than a user, inside a statement. */
export const hasOtherOwner = (workspaceId: In<string>, userId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM members other WHERE other.workspace_id = ${workspaceId} AND other.user_id <> ${userId}
    AND other.role = 'owner')`;

const memberColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: members.role,
  createdAt: members.createdAt,
};
export type MemberRow = { id: string; email: string; name: string | null; role: Role; createdAt: number };

const selectMembers = (db: Database, which: SQL | undefined) =>
  db.select(memberColumns).from(members).innerJoin(users, eq(users.id, members.userId)).where(which);

const isMember = (workspaceId: string, userId: string) =>
  and(eq(members.workspaceId, workspaceId), eq(members.userId, userId));

/** A page of a workspace's members by user id, newest first, below the id `before`. */
export async function listMembers(
  db: Database,
  workspaceId: string,
  limit: number,
  before: string | null,
): Promise<MemberRow[]> {
  return selectMembers(
    db,
    and(eq(members.workspaceId, workspaceId), before === null ? undefined : lt(members.userId, before)),
  )
    .orderBy(desc(members.userId))
    .limit(limit);
}

/** A requested change of a membership. */
interface Change {
  workspaceId: string;
  userId: string;
  /** The requester: an owner, or the member themselves. */
  by: string;
  entry: AuditEntry;
}
/** The statement that records a change of a membership. */
const recordChange = (db: Database, { userId, entry }: Pick<Change, "userId" | "entry">) =>
  recordAccountAct(db, { ...entry, target: { id: userId, name: nameOfUserWithId(userId) } });

/** Why nothing was changed. */
export type Unchanged = { is: "no_member" | "owner_stays" | "not_an_owner" };

/** The workspace's current key, if a user has seen it. */
const keySeenBy = (db: Database, { workspaceId, userId }: Change) =>
  db
    .select({ keyId: audit.keyId })
    .from(audit)
    .innerJoin(
      workspaceKeys,
      and(
        eq(workspaceKeys.workspaceId, audit.workspaceId),
        eq(workspaceKeys.id, audit.keyId),
        isNull(workspaceKeys.revokedAt),
      ),
    )
    .where(and(eq(audit.workspaceId, workspaceId), eq(audit.userId, userId)))
    .limit(1);

/** Determines why a change was refused, from the rows after it. */
function whyUnchanged({ userId, by }: Change, member: MemberRow | undefined, acting: { role: Role }[]): Unchanged {
  if (member === undefined) return { is: "no_member" };
  return userId !== by && acting[0]?.role !== "owner" ? { is: "not_an_owner" } : { is: "owner_stays" };
}

const selectRole = (db: Database, workspaceId: string, userId: string) =>
  db.select({ role: members.role }).from(members).where(isMember(workspaceId, userId));

/**
 * Removes a member, with the client apps that they authorized, the invitations that they sent and the keys that they
 * named. `keySeen`: whether they have seen the current key. `endedKeys`: their named keys.
 */
export async function removeMember(
  db: Database,
  change: Change,
): Promise<{ is: "removed"; keySeen: boolean; endedKeys: string[] } | Unchanged> {
  const { workspaceId, userId, by } = change;
  const { removed, seen, left, acting, ended } = await batch(db, {
    removed: db
      .delete(members)
      .where(
        and(
          isMember(workspaceId, userId),
          userId === by ? undefined : isOwner(workspaceId, by),
          hasOtherMember(workspaceId, userId),
          sql`(${members.role} <> 'owner' OR ${hasOtherOwner(workspaceId, userId)})`,
        ),
      )
      .returning({ userId: members.userId }),
    recorded: recordChange(db, change),
    seen: keySeenBy(db, change),
    left: selectMembers(db, isMember(workspaceId, userId)),
    acting: selectRole(db, workspaceId, by),
    ended: selectEndedKeys(db, workspaceId, userId),
  });
  if (removed.length !== 1) return whyUnchanged(change, left[0], acting);
  return { is: "removed", keySeen: seen.length > 0, endedKeys: ended.map(({ id }) => id) };
}

/**
 * Changes a member's role on an owner's request. A demoted owner loses their open invitations and keys. `keySeen`: as
 * in `removeMember`.
 */
export async function changeRole(
  db: Database,
  change: Change,
  role: Role,
): Promise<{ is: "changed"; member: MemberRow; keySeen: boolean; endedKeys: string[] } | Unchanged> {
  const { workspaceId, userId, by } = change;
  const { acting, changed, seen, rows, ended } = await batch(db, {
    acting: selectRole(db, workspaceId, by),
    changed: db
      .update(members)
      .set({ role })
      .where(
        and(
          isMember(workspaceId, userId),
          isOwner(workspaceId, by),
          role === "owner" ? undefined : sql`(${members.role} <> 'owner' OR ${hasOtherOwner(workspaceId, userId)})`,
        ),
      )
      .returning({ userId: members.userId }),
    recorded: recordChange(db, change),
    withdrawn: db
      .delete(invitations)
      .where(
        and(
          eq(invitations.workspaceId, workspaceId),
          eq(invitations.invitedBy, userId),
          sql`NOT ${isOwner(workspaceId, userId)}`,
        ),
      ),
    seen: keySeenBy(db, change),
    rows: selectMembers(db, isMember(workspaceId, userId)),
    ended: selectEndedKeys(db, workspaceId, userId),
  });
  const [member] = rows;
  if (changed.length === 1 && member !== undefined) {
    return { is: "changed", member, keySeen: seen.length > 0, endedKeys: ended.map(({ id }) => id) };
  }
  if (acting[0]?.role !== "owner") return { is: "not_an_owner" };
  return whyUnchanged(change, member, acting);
}

/** Makes a member the owner of a workspace without one. Returns whether they own it, including if they already did. */
export async function takeOwnership(db: Database, userId: string, entry: AuditEntry): Promise<boolean> {
  const { workspaceId } = entry;
  const { owners } = await batch(db, {
    taken: db
      .update(members)
      .set({ role: "owner" })
      .where(and(isMember(workspaceId, userId), sql`NOT ${isOwned(workspaceId)}`)),
    recorded: recordChange(db, { userId, entry }),
    owners: selectRole(db, workspaceId, userId),
  });
  return owners[0]?.role === "owner";
}

/** An owner of a workspace, as pages and invitations show them. */
export interface Owner {
  email: string;
  /** Whether their address is verified. */
  verified: boolean;
}

/** The owners of each of these workspaces. */
export async function ownersOfEach(db: Database, workspaceIds: string[]): Promise<Map<string, Owner[]>> {
  const rows = await db
    .select({ workspaceId: members.workspaceId, email: users.email, verifiedAt: users.emailVerifiedAt })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(
      and(
        eq(members.role, "owner"),
        sql`${members.workspaceId} IN (SELECT value FROM json_each(${JSON.stringify(workspaceIds)}))`,
      ),
    )
    .orderBy(members.createdAt, members.userId);
  const owners = new Map<string, Owner[]>(workspaceIds.map((id) => [id, []]));
  for (const { workspaceId, email, verifiedAt } of rows) {
    owners.get(workspaceId)?.push({ email, verified: verifiedAt !== null });
  }
  return owners;
}

/** The addresses of a workspace's owners. */
export async function listOwnerEmails(db: Database, workspaceId: string): Promise<string[]> {
  const owners = await ownersOfEach(db, [workspaceId]);
  return (owners.get(workspaceId) ?? []).map(({ email }) => email);
}

/** The addresses of a workspace's members except one. */
export async function othersIn(db: Database, workspaceId: string, userId: string): Promise<string[]> {
  const rows = await selectMembers(db, and(eq(members.workspaceId, workspaceId), ne(members.userId, userId)));
  return rows.map(({ email }) => email);
}
