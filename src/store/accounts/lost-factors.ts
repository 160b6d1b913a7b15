// Resets the second factor of a member who has lost it. The factor protects the whole account, so only an owner of every
// workspace that the account belongs to may reset it. Unused workspaces without other members do not count.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { UNUSED_LOOKED_AT_MAX } from "../../domain/limits.ts";
import { nameOfUserWithId, recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import {
  channels,
  factors,
  invitations,
  media,
  members,
  posts,
  recoveryCodes,
  users,
  webhooks,
  workspaces,
} from "../db/schema.ts";
import { hasFactor } from "./factors.ts";
import { hasOtherMember, isOwner } from "./members.ts";
import { endSignIns } from "./passwords.ts";

/** The member whose factors are to be removed, and the owner and workspace that authorize it. */
export interface Reset {
  workspaceId: string;
  userId: string;
  by: string;
}

/** The member's workspaces that the owner does not own, inside a statement. */
const notOwned = ({ userId, by }: Reset): SQL =>
  sql`FROM members theirs WHERE theirs.user_id = ${userId} AND NOT ${isOwner(sql`theirs.workspace_id`, by)}`;

/** Whether a member has a factor, and which of their workspaces prevent the reset; undefined: they are not a member. */
export async function readReset(db: Database, reset: Reset) {
  const { workspaceId, userId } = reset;
  const { member, elsewhere } = await batch(db, {
    member: db
      .select({ email: users.email, hasFactor: sql<number>`${hasFactor(userId)}` })
      .from(members)
      .innerJoin(users, eq(users.id, members.userId))
      .where(and(eq(members.workspaceId, workspaceId), eq(members.userId, userId))),
    elsewhere: db
      .select({
        id: workspaces.id,
        home: workspaces.home,
        isShared: sql<number>`${hasOtherMember(workspaces.id, userId)}`,
      })
      .from(workspaces)
      .where(sql`${workspaces.id} IN (SELECT theirs.workspace_id ${notOwned(reset)})`)
      .limit(UNUSED_LOOKED_AT_MAX + 1),
  });
  const [row] = member;
  return (
    row && {
      email: row.email,
      hasFactor: row.hasFactor === 1,
      elsewhere: elsewhere.map(({ isShared, ...workspace }) => ({ ...workspace, isShared: isShared === 1 })),
    }
  );
}

/** Whether a workspace has nothing that a factor would protect. `home`: the database of its rows. */
export async function isUnused(home: Database, workspaceId: string): Promise<boolean> {
  const existsIn = (table: typeof channels | typeof posts | typeof media | typeof webhooks) =>
    sql`EXISTS (SELECT 1 FROM ${table} WHERE ${table.workspaceId} = ${workspaceId})`;
  const [row] = await home.all<{ used: number }>(
    sql`SELECT ${existsIn(channels)} OR ${existsIn(posts)} OR ${existsIn(media)} OR ${existsIn(webhooks)} AS used`,
  );
  return row?.used === 0;
}

/**
 * Removes all factors of a member, and ends their sign-ins and their invitations from workspaces that the owner does
 * not own, because those were sent to an account with a factor. `unused`: empty workspaces, which do not prevent the reset
 * if the member is their only member. Returns false if the member no longer has a factor, or the owner may not remove it.
 */
export async function resetFactors(
  db: Database,
  reset: Reset,
  unused: readonly string[],
  entry: AuditEntry,
): Promise<boolean> {
  const { workspaceId, userId, by } = reset;
  const mayReset = sql`EXISTS (SELECT 1 FROM members reset WHERE reset.workspace_id = ${workspaceId} AND reset.user_id = ${userId})
    AND ${isOwner(workspaceId, by)} AND NOT EXISTS (SELECT 1 ${notOwned(reset)}
      AND NOT (theirs.workspace_id IN (SELECT value FROM json_each(${JSON.stringify(unused)}))
        AND NOT ${hasOtherMember(sql`theirs.workspace_id`, userId)}))`;
  const condition = sql`(${hasFactor(userId)} AND ${mayReset})`;
  const { removed } = await batch(db, {
    ...endSignIns(db, userId, condition, null),
    invitations: db.delete(invitations).where(
      sql`${invitations.email} = (SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${userId})
          AND NOT ${isOwner(invitations.workspaceId, by)} AND ${condition}`,
    ),
    codes: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), condition)),
    // Comes last, because the other statements check whether a factor exists.
    removed: db
      .delete(factors)
      .where(and(eq(factors.userId, userId), condition))
      .returning({ id: factors.id }),
    recorded: recordAccountAct(
      db,
      {
        ...entry,
        workspaceId: members.workspaceId,
        target: { id: userId, name: nameOfUserWithId(userId) },
      },
      sql`FROM ${members} WHERE ${members.userId} = ${userId} AND changes() > 0`,
    ),
  });
  return removed.length > 0;
}
