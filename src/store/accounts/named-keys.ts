// The keys that owners name: each with scopes, and channels if it is limited to some.
import { and, desc, eq, getTableColumns, isNull, lt, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { namedKeys } from "../db/schema.ts";
import { isNamedKey } from "./keys.ts";
import { isOwner } from "./members.ts";

const { hash: _hash, revokedAt: _revokedAt, ...shown } = getTableColumns(namedKeys);
export type NamedKeyRow = Omit<typeof namedKeys.$inferSelect, "hash" | "revokedAt">;

/** A page of a workspace's named keys that nobody has revoked, newest first, below the id `before`. */
export async function listKeys(
  db: Database,
  workspaceId: string,
  limit: number,
  before: string | null,
): Promise<NamedKeyRow[]> {
  return db
    .select(shown)
    .from(namedKeys)
    .where(
      and(
        eq(namedKeys.workspaceId, workspaceId),
        isNull(namedKeys.revokedAt),
        before === null ? undefined : lt(namedKeys.id, before),
      ),
    )
    .orderBy(desc(namedKeys.id))
    .limit(limit);
}

/** Stores a key on an owner's word, while their workspace has fewer than `keysMax`. */
export async function insertKey(
  db: Database,
  row: typeof namedKeys.$inferInsert,
  keysMax: number,
): Promise<"stored" | "not_an_owner" | "too_many"> {
  const { workspaceId, createdBy } = row;
  const { stored, owns } = await batch(db, {
    stored: insertFrom(
      db,
      namedKeys,
      row,
      sql`WHERE ${isOwner(workspaceId, createdBy)} AND (SELECT COUNT(*) FROM named_keys other
        WHERE other.workspace_id = ${workspaceId} AND other.revoked_at IS NULL) < ${keysMax}`,
    ).returning({ id: namedKeys.id }),
    owns: db.select({ owns: sql<number>`${isOwner(workspaceId, createdBy)}` }).from(sql`(SELECT 1)`),
  });
  if (stored.length === 1) return "stored";
  return owns[0]?.owns === 1 ? "too_many" : "not_an_owner";
}

/** Ends a key on an owner's word. Returns whether it stood. */
export async function revokeKey(db: Database, workspaceId: string, id: string, by: string): Promise<boolean> {
  const ended = await db
    .update(namedKeys)
    .set({ revokedAt: NOW })
    .where(and(isNamedKey(workspaceId, id), isNull(namedKeys.revokedAt), isOwner(workspaceId, by)))
    .returning({ id: namedKeys.id });
  return ended.length === 1;
}
