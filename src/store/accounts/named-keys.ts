// Keys that owners create and name. A key has scopes, and may be limited to some channels.
import { and, desc, eq, getTableColumns, isNull, lt, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { Micros } from "../../domain/money.ts";
import { recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { namedKeys } from "../db/schema.ts";
import { isNamedKey } from "./keys.ts";
import { isOwner } from "./members.ts";

const { hash: _hash, revokedAt: _revokedAt, ...visibleColumns } = getTableColumns(namedKeys);
export type NamedKeyRow = Omit<typeof namedKeys.$inferSelect, "hash" | "revokedAt">;

/** A page of a workspace's named keys that are not revoked, newest first. `before`: only keys with a lower id. */
export async function listKeys(
  db: Database,
  workspaceId: string,
  limit: number,
  before: string | null,
): Promise<NamedKeyRow[]> {
  return db
    .select(visibleColumns)
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

/** Stores a key for an owner, if the workspace has fewer than `keysMax`. */
export async function insertKey(
  db: Database,
  row: typeof namedKeys.$inferInsert,
  keysMax: number,
  entry: AuditEntry,
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
    recorded: recordAccountAct(db, entry),
    owns: db.select({ owns: sql<number>`${isOwner(workspaceId, createdBy)}` }).from(sql`(SELECT 1)`),
  });
  if (stored.length === 1) return "stored";
  return owns[0]?.owns === 1 ? "too_many" : "not_an_owner";
}

/** Sets a key's monthly budget on the request of an owner, `by`. Returns the key, or undefined if it is not valid. */
export async function changeBudget(
  db: Database,
  { id, budget, by }: { id: string; budget: Micros | null; by: string },
  entry: AuditEntry,
): Promise<NamedKeyRow | undefined> {
  const { workspaceId } = entry;
  const { changed } = await batch(db, {
    changed: db
      .update(namedKeys)
      .set({ budget })
      .where(and(isNamedKey(workspaceId, id), isNull(namedKeys.revokedAt), isOwner(workspaceId, by)))
      .returning(visibleColumns),
    recorded: recordAccountAct(db, { ...entry, target: { id, name: nameOfKey(workspaceId, id) } }),
  });
  return changed[0];
}

const nameOfKey = (workspaceId: string, id: string) =>
  sql`(SELECT ${namedKeys.name} FROM ${namedKeys} WHERE ${isNamedKey(workspaceId, id)})`;

/** Revokes a key on the request of the owner `ownerId`. Returns whether the key was valid. */
export async function revokeKey(db: Database, id: string, ownerId: string, entry: AuditEntry): Promise<boolean> {
  const { workspaceId } = entry;
  const { revoked } = await batch(db, {
    revoked: db
      .update(namedKeys)
      .set({ revokedAt: NOW })
      .where(and(isNamedKey(workspaceId, id), isNull(namedKeys.revokedAt), isOwner(workspaceId, ownerId)))
      .returning({ id: namedKeys.id }),
    recorded: recordAccountAct(db, { ...entry, target: { id, name: nameOfKey(workspaceId, id) } }),
  });
  return revoked.length === 1;
}

/** The monthly budget of a key; null: it has none, or the key does not exist. */
export async function getKeyBudget(db: Database, workspaceId: string, id: string): Promise<Micros | null> {
  const [row] = await db
    .select({ budget: namedKeys.budget })
    .from(namedKeys)
    .where(and(eq(namedKeys.workspaceId, workspaceId), eq(namedKeys.id, id)));
  return row?.budget ?? null;
}
