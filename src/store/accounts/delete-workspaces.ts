// Deletes workspaces with all their rows, in one transaction that also records the cleanup outside the database: files,
// publishers, and rows in another database. A send that has not written its intent finds no row, and does not happen.
import { and, asc, eq, isNull, lte, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { AccountEntry } from "../../domain/audit.ts";
import { UPLOAD_OVER_MS } from "../../domain/limits.ts";
import { nameOfUserWithId, recordAccountAct, recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { channels, clearances, members, namedKeys, users, workspaceKeys, workspaces } from "../db/schema.ts";
import { hasOtherOwner, isOwner } from "./members.ts";
import { nameOfUser } from "./names.ts";

/** What ended with the deleted workspaces. */
export interface Deleted {
  workspaces: { id: string; home: number }[];
  /** The keys that were valid until then. */
  keyIds: string[];
}

/** The statements that delete the workspaces in `which`: a subselect of `workspace_id`. */
function deleteThose(db: Database, which: SQL) {
  return {
    keys: db
      .select({ id: workspaceKeys.id })
      .from(workspaceKeys)
      .where(and(sql`${workspaceKeys.workspaceId} IN ${which}`, isNull(workspaceKeys.revokedAt))),
    namedKeys: db
      .select({ id: namedKeys.id })
      .from(namedKeys)
      .where(and(sql`${namedKeys.workspaceId} IN ${which}`, isNull(namedKeys.revokedAt))),
    clearances: insertFrom(
      db,
      clearances,
      {
        workspaceId: sql`workspace_id`,
        since: NOW,
        lanes: sql`1 + COALESCE((SELECT MAX(${channels.lane}) FROM ${channels} WHERE ${channels.workspaceId} = going.workspace_id), 0)`,
        home: sql`(SELECT home FROM workspaces WHERE id = going.workspace_id)`,
      },
      sql`FROM ${which} AS going WHERE TRUE`,
    ).onConflictDoNothing(),
    erased: db
      .delete(workspaces)
      .where(sql`${workspaces.id} IN ${which}`)
      .returning({ id: workspaces.id, home: workspaces.home }),
  };
}

/** Deletes a workspace of this name for an owner, unless it is the last one that they own. */
export async function deleteWorkspace(
  db: Database,
  { workspaceId, name, by }: { workspaceId: string; name: string; by: string },
): Promise<(Deleted & { is: "deleted" }) | { is: "other_name" } | { is: "not_an_owner" | "last_workspace" }> {
  const owned = sql`(SELECT COUNT(*) FROM members mine WHERE mine.user_id = ${by} AND mine.role = 'owner')`;
  const which = sql`(SELECT w.id AS workspace_id FROM workspaces w WHERE w.id = ${workspaceId} AND w.name = ${name}
    AND ${isOwner(workspaceId, by)} AND ${owned} > 1)`;
  const {
    facts,
    keys,
    namedKeys: namedKeyRows,
    erased,
  } = await batch(db, {
    facts: db
      .select({
        name: workspaces.name,
        owns: sql<number>`${isOwner(workspaceId, by)}`,
        owned: sql<number>`${owned}`,
      })
      .from(workspaces)
      .where(eq(workspaces.id, workspaceId)),
    ...deleteThose(db, which),
  });
  const [fact] = facts;
  if (fact?.owns !== 1) return { is: "not_an_owner" };
  if (fact.name !== name) return { is: "other_name" };
  if (fact.owned <= 1) return { is: "last_workspace" };
  return { is: "deleted", workspaces: erased, keyIds: [...keys, ...namedKeyRows].map(({ id }) => id) };
}

/** A member whom the owner of a workspace names as its next owner. */
interface Heir {
  workspaceId: string;
  userId: string;
}

export interface Erased extends Deleted {
  heirs: Heir[];
  /** Shared workspaces that have lost their last owner. */
  offered: string[];
  /** Workspaces whose current key the user had seen. */
  keySeen: string[];
}

/** An erasure that applies only if the account has not changed since it was checked. */
export interface Erasure {
  /** The audit entry of the erased user. */
  entry: AccountEntry;
  /** The id of the audit entries about the new owners. */
  heirsEntryId: string;
  heirs: Heir[];
  /** The hash of the password that was compared; null: no password was required. */
  verified: string | null;
}

/**
 * Erases a user, and with all their rows the workspaces that have no other members. A shared workspace stays, and the
 * heirs that were named for it become its owners. If it then has no owner, ownership is offered to its members. Nothing
 * changes if an heir is not another member of a workspace that the user owns (`not_an_heir`), or if the password has been
 * replaced since it was compared (`other_password`).
 */
export async function eraseUser(
  db: Database,
  { entry, heirsEntryId, heirs: namedHeirs, verified }: Erasure,
): Promise<(Erased & { is: "erased" }) | { is: "not_an_heir"; workspaceId: string } | { is: "other_password" }> {
  const { userId, ...facts } = entry;
  const listed = sql`(SELECT value ->> 'workspaceId' AS workspace_id, value ->> 'userId' AS user_id
    FROM json_each(${JSON.stringify(namedHeirs)}))`;
  const notHeirs = sql`SELECT named.workspace_id FROM ${listed} named WHERE named.user_id = ${userId}
    OR NOT ${isOwner(sql`named.workspace_id`, userId)} OR NOT EXISTS (SELECT 1 FROM members heir
      WHERE heir.workspace_id = named.workspace_id AND heir.user_id = named.user_id)`;
  // NULL if nothing may be erased: then no statement finds a row.
  const erasable = sql`(SELECT u.id FROM users u WHERE u.id = ${userId}
    AND (${verified} IS NULL OR u.password_hash = ${verified}) AND NOT EXISTS (${notHeirs}))`;
  const isTheirs = (workspaceId: SQL | SQLWrapper, role = sql`TRUE`) => sql`EXISTS (SELECT 1 FROM members mine
    WHERE mine.workspace_id = ${workspaceId} AND mine.user_id = ${erasable} AND ${role})`;
  const alone = sql`(SELECT mine.workspace_id FROM members mine WHERE mine.user_id = ${erasable} AND NOT EXISTS
    (SELECT 1 FROM members other WHERE other.workspace_id = mine.workspace_id AND other.user_id <> ${userId}))`;
  const isHeir = sql`EXISTS (SELECT 1 FROM ${listed} named WHERE named.workspace_id = ${members.workspaceId}
    AND named.user_id = ${members.userId}) AND ${isTheirs(members.workspaceId)}`;
  const results = await batch(db, {
    recordedHeirs: recordAccountAct(
      db,
      {
        ...facts,
        id: heirsEntryId,
        act: "member.role_changed",
        workspaceId: members.workspaceId,
        actor: { kind: "person", id: userId, name: nameOfUserWithId(userId) },
        target: { id: members.userId, name: nameOfUser },
        details: { role: "owner" },
      },
      sql`FROM ${members} JOIN ${users} ON ${users.id} = ${members.userId} WHERE ${isHeir}`,
    ),
    wrong: db.select({ workspaceId: sql<string>`wrong.workspace_id` }).from(sql`(${notHeirs}) wrong`),
    heirs: db
      .update(members)
      .set({ role: "owner" })
      .where(isHeir)
      .returning({ workspaceId: members.workspaceId, userId: members.userId }),
    ...deleteThose(db, alone),
    recorded: recordOwnAct(db, entry, sql`${erasable} IS NOT NULL`),
    offered: db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(
        sql`${isTheirs(workspaces.id, sql`mine.role = 'owner'`)} AND NOT ${hasOtherOwner(sql`${workspaces.id}`, userId)}`,
      ),
    keySeen: db
      .select({ id: workspaces.id })
      .from(workspaces)
      .where(
        sql`${isTheirs(workspaces.id)}
          AND EXISTS (SELECT 1 FROM audit a JOIN workspace_keys k ON k.workspace_id = a.workspace_id AND k.id = a.key_id
            AND k.revoked_at IS NULL WHERE a.workspace_id = ${workspaces.id} AND a.user_id = ${userId})`,
      ),
    users: db.delete(users).where(eq(users.id, erasable)).returning({ id: users.id }),
  });
  const { wrong, keys, namedKeys: ended, erased, heirs, offered, keySeen } = results;
  const [notHeir] = wrong;
  if (notHeir !== undefined) return { is: "not_an_heir", ...notHeir };
  if (results.users.length === 0) return { is: "other_password" };
  return {
    is: "erased",
    workspaces: erased,
    keyIds: [...keys, ...ended].map(({ id }) => id),
    heirs,
    offered: offered.map(({ id }) => id),
    keySeen: keySeen.map(({ id }) => id),
  };
}

/** Erased workspaces that are due for cleanup outside the database, longest due first. */
export async function workspacesToClear(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .select({ workspaceId: clearances.workspaceId })
    .from(clearances)
    .where(lte(clearances.nextAt, NOW))
    .orderBy(asc(clearances.nextAt))
    .limit(limit);
  return rows.map(({ workspaceId }) => workspaceId);
}

/** The facts that the cleanup of an erased workspace needs; `isOver`: whether all its upload addresses have expired. */
export async function findClearance(
  db: Database,
  workspaceId: string,
): Promise<{ lanes: number; home: number; isOver: boolean } | undefined> {
  const [row] = await db
    .select({
      lanes: clearances.lanes,
      home: clearances.home,
      isOver: sql<number>`${clearances.since} + ${UPLOAD_OVER_MS} <= ${NOW}`,
    })
    .from(clearances)
    .where(eq(clearances.workspaceId, workspaceId));
  return row && { ...row, isOver: row.isOver === 1 };
}

/**
 * Records that a workspace was cleaned up. If all its upload addresses had expired (`isOver`) when the cleanup began, the
 * cleanup is finished. Otherwise it is repeated after they have expired.
 */
export async function markCleared(db: Database, workspaceId: string, { isOver }: { isOver: boolean }): Promise<void> {
  const isCleared = eq(clearances.workspaceId, workspaceId);
  if (isOver) await db.delete(clearances).where(isCleared);
  else
    await db
      .update(clearances)
      .set({ nextAt: sql`${clearances.since} + ${UPLOAD_OVER_MS}` })
      .where(isCleared);
}
