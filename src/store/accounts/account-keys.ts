// Keys that people create for their programs, which act in all workspaces that the person owns. A revoked key keeps its
// row, so that callers learn why it stopped working.
import { and, desc, eq, getTableColumns, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { AccountScope } from "../../domain/account-scopes.ts";
import type { AccountEntry } from "../../domain/audit.ts";
import { recordOwnAct } from "../audit.ts";
import { batch, type Statements, toStatements } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { accountKeys, members, users, workspaces } from "../db/schema.ts";
import { hasFactor } from "./factors.ts";

const { hash: _hash, revokedAt: _revokedAt, ...visibleColumns } = getTableColumns(accountKeys);
export type AccountKeyRow = Omit<typeof accountKeys.$inferSelect, "hash" | "revokedAt">;

const isOver = sql<number>`COALESCE(${accountKeys.expiresAt} <= ${NOW}, 0)`;
const isValid = sql`${accountKeys.revokedAt} IS NULL AND NOT ${isOver}`;

/** An account key as it is read for a call. */
export interface AccountKeyUse {
  id: string;
  userId: string;
  name: string;
  scopes: readonly AccountScope[];
  revokedAt: number | null;
  lastUsedAt: number | null;
  isExpired: boolean;
  now: number;
  /**
   * The workspace that the call names; null: none, or one that the key's creator does not own. `needsFactor`: it requires
   * a second factor, and the creator has none.
   */
  ownership: { home: number; rightsEpoch: number; needsFactor: boolean } | null;
}

/** The key with a hash, and its rights in a workspace; undefined if the key never existed. */
export function readAccountKey(
  db: Database,
  hash: string,
  workspaceId: string | null,
): Statements<AccountKeyUse | undefined> {
  return toStatements(
    {
      rows: db
        .select({
          id: accountKeys.id,
          userId: accountKeys.userId,
          name: accountKeys.name,
          scopes: accountKeys.scopes,
          revokedAt: accountKeys.revokedAt,
          lastUsedAt: accountKeys.lastUsedAt,
          isExpired: isOver.as("is_expired"),
          now: NOW.as("now"),
          home: workspaces.home,
          rightsEpoch: workspaces.rightsEpoch,
          needsFactor: sql<number>`(${workspaces.requireFactor} AND NOT ${hasFactor(accountKeys.userId)})`.as(
            "needs_factor",
          ),
        })
        .from(accountKeys)
        .leftJoin(
          members,
          and(
            eq(members.workspaceId, workspaceId ?? ""),
            eq(members.userId, accountKeys.userId),
            eq(members.role, "owner"),
          ),
        )
        .leftJoin(workspaces, eq(workspaces.id, members.workspaceId))
        .where(eq(accountKeys.hash, hash)),
    },
    ({ rows: [row] }) => {
      if (row === undefined) return undefined;
      const { home, rightsEpoch, needsFactor, isExpired, ...key } = row;
      const isOwned = home !== null && rightsEpoch !== null;
      return {
        ...key,
        isExpired: isExpired === 1,
        ownership: isOwned ? { home, rightsEpoch, needsFactor: needsFactor === 1 } : null,
      };
    },
  );
}

/** The id of a workspace, inside a statement; NULL unless the key is valid and its creator owns the workspace. */
export function workspaceOfAccountKey(hash: string, workspaceId: string): SQL {
  return sql`(SELECT m.workspace_id FROM ${accountKeys} JOIN members m ON m.workspace_id = ${workspaceId}
    AND m.user_id = ${accountKeys.userId} AND m.role = 'owner' WHERE ${accountKeys.hash} = ${hash} AND ${isValid})`;
}

/** True, inside a statement, while a key is valid and its creator owns the workspace. */
export const isAccountKeyGood = (workspaceId: In<string>, keyId: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${accountKeys} JOIN ${members} ON ${members.workspaceId} = ${workspaceId}
    AND ${members.userId} = ${accountKeys.userId} AND ${members.role} = 'owner'
    WHERE ${accountKeys.id} = ${keyId} AND ${isValid})`;

/** Records that a key is in use. The caller decides whether that is due. */
export async function touchAccountKey(db: Database, id: string): Promise<void> {
  await db.update(accountKeys).set({ lastUsedAt: NOW }).where(eq(accountKeys.id, id));
}

/** A page of a person's keys that are not revoked, newest first. `before`: only keys with a lower id. */
export const listAccountKeys = (
  db: Database,
  userId: string,
  limit: number,
  before: string | null,
): Promise<AccountKeyRow[]> =>
  db
    .select(visibleColumns)
    .from(accountKeys)
    .where(
      and(
        eq(accountKeys.userId, userId),
        isNull(accountKeys.revokedAt),
        before === null ? undefined : lt(accountKeys.id, before),
      ),
    )
    .orderBy(desc(accountKeys.id))
    .limit(limit);

/**
 * Stores a key for a person whose password matched `verified`, the hash at that time, if they have fewer than `keysMax`.
 */
export async function insertAccountKey(
  db: Database,
  row: typeof accountKeys.$inferInsert,
  { verified, keysMax }: { verified: string; keysMax: number },
  entry: AccountEntry,
): Promise<"stored" | "other_password" | "too_many"> {
  const { userId } = row;
  const isVerified = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId} AND ${users.passwordHash} = ${verified})`;
  const { stored, facts } = await batch(db, {
    stored: insertFrom(
      db,
      accountKeys,
      row,
      sql`WHERE ${isVerified} AND (SELECT COUNT(*) FROM account_keys other WHERE other.user_id = ${userId}
        AND other.revoked_at IS NULL) < ${keysMax}`,
    ).returning({ id: accountKeys.id }),
    recorded: recordOwnAct(db, entry),
    facts: db.select({ isVerified: sql<number>`${isVerified}`.as("is_verified") }).from(sql`(SELECT 1)`),
  });
  if (stored.length === 1) return "stored";
  return facts[0]?.isVerified === 1 ? "too_many" : "other_password";
}

/** Revokes a person's key. Returns whether it was valid. */
export async function revokeAccountKey(db: Database, id: string, entry: AccountEntry): Promise<boolean> {
  const { revoked } = await batch(db, {
    revoked: db
      .update(accountKeys)
      .set({ revokedAt: NOW })
      .where(and(eq(accountKeys.id, id), eq(accountKeys.userId, entry.userId), isNull(accountKeys.revokedAt)))
      .returning({ id: accountKeys.id }),
    recorded: recordOwnAct(db, entry),
  });
  return revoked.length === 1;
}

/** Whether a key may still act in a workspace with one of its scopes. */
export async function mayAccountKeyStill(
  db: Database,
  workspaceId: string,
  keyId: string,
  scope: AccountScope,
): Promise<boolean> {
  const [row] = await db
    .select({ scopes: accountKeys.scopes })
    .from(accountKeys)
    .where(and(eq(accountKeys.id, keyId), isAccountKeyGood(workspaceId, keyId)));
  return row?.scopes.includes(scope) ?? false;
}
