// The keys that give access to a workspace: its own key, and the named keys that its owners created.
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import type { Micros } from "../../domain/money.ts";
import { SCOPES, type Scope } from "../../domain/roles.ts";
import { ask, batch, type Statements, toStatements } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { namedKeys, workspaceKeys, workspaces } from "../db/schema.ts";

/** A key as it is read for a call. */
export interface KeyRow {
  id: string;
  /** The name that its owner gave it. */
  name: string;
  workspaceId: string;
  isNamed: boolean;
  scopes: readonly Scope[];
  /** null: all. */
  channels: string[] | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  isExpired: boolean;
  /** The key's monthly budget; null: no limit of its own. */
  budget: Micros | null;
  /** The number of the database that holds the rows of its workspace. */
  home: number;
  /** The workspace's epoch when the key was read, and the time of that read by the database's clock. */
  rightsEpoch: number;
  now: number;
}

const isOver = sql<number>`COALESCE(${namedKeys.expiresAt} <= ${NOW}, 0)`;
const stands = sql`${namedKeys.revokedAt} IS NULL AND NOT ${isOver}`;

/** The workspace of a key, its scopes, and whether it is still valid; undefined if the key never existed. */
export const readKey = (db: Database, hash: string): Statements<KeyRow | undefined> =>
  readKeyWhere(db, eq(workspaceKeys.hash, hash), eq(namedKeys.hash, hash));

/** Like `readKey`, for the key with this id in a workspace. */
export const readKeyById = (db: Database, workspaceId: string, id: string): Promise<KeyRow | undefined> =>
  ask(
    db,
    readKeyWhere(
      db,
      and(eq(workspaceKeys.workspaceId, workspaceId), eq(workspaceKeys.id, id)),
      isNamedKey(workspaceId, id),
    ),
  );

function readKeyWhere(db: Database, isOwn: SQL | undefined, isNamed: SQL | undefined): Statements<KeyRow | undefined> {
  const { id, workspaceId, revokedAt, lastUsedAt } = workspaceKeys;
  const rows = db
    .select({
      id,
      workspaceId,
      revokedAt,
      lastUsedAt,
      // Columns need names here: D1 distinguishes them only by name.
      name: sql<string>`'Workspace key'`.as("name"),
      scopes: sql<string | null>`NULL`.as("scopes"),
      channels: sql<string | null>`NULL`.as("channels"),
      isExpired: sql<number>`0`.as("is_expired"),
      budget: sql<number | null>`NULL`.as("budget"),
      home: workspaces.home,
      rightsEpoch: workspaces.rightsEpoch,
      now: NOW.as("now"),
    })
    .from(workspaceKeys)
    .innerJoin(workspaces, eq(workspaces.id, workspaceId))
    .where(isOwn)
    .unionAll(
      db
        .select({
          id: namedKeys.id,
          workspaceId: namedKeys.workspaceId,
          revokedAt: namedKeys.revokedAt,
          lastUsedAt: namedKeys.lastUsedAt,
          name: sql<string>`${namedKeys.name}`.as("name"),
          scopes: sql<string | null>`${namedKeys.scopes}`.as("scopes"),
          channels: sql<string | null>`${namedKeys.channels}`.as("channels"),
          isExpired: isOver.as("is_expired"),
          budget: sql<number | null>`${namedKeys.budget}`.as("budget"),
          home: workspaces.home,
          rightsEpoch: workspaces.rightsEpoch,
          now: NOW.as("now"),
        })
        .from(namedKeys)
        .innerJoin(workspaces, eq(workspaces.id, namedKeys.workspaceId))
        .where(isNamed),
    );
  return toStatements({ rows }, ({ rows: [row] }) => {
    if (row === undefined) return undefined;
    const { scopes, channels, isExpired, ...key } = row;
    return {
      ...key,
      isNamed: scopes !== null,
      scopes: scopes === null ? SCOPES : JSON.parse(scopes),
      channels: channels === null ? null : JSON.parse(channels),
      isExpired: isExpired === 1,
    };
  });
}

/** The id of the workspace that a key opens, inside a statement; NULL unless the key is valid. */
export function workspaceOfKey(hash: string): SQL {
  return sql`COALESCE((SELECT k.workspace_id FROM workspace_keys k WHERE k.hash = ${hash} AND k.revoked_at IS NULL),
    (SELECT ${namedKeys.workspaceId} FROM ${namedKeys} WHERE ${namedKeys.hash} = ${hash} AND ${stands}))`;
}

/** The id of the user who created a named key, even if the key was revoked; null if the key does not exist. */
export async function readKeyMaker(db: Database, workspaceId: string, keyId: string): Promise<string | null> {
  const [key] = await db
    .select({ createdBy: namedKeys.createdBy })
    .from(namedKeys)
    .where(isNamedKey(workspaceId, keyId));
  return key?.createdBy ?? null;
}

export async function isKeyGood(db: Database, workspaceId: string, keyId: string): Promise<boolean> {
  const { own, named } = await batch(db, {
    own: db
      .select({ id: workspaceKeys.id })
      .from(workspaceKeys)
      .where(
        and(eq(workspaceKeys.workspaceId, workspaceId), eq(workspaceKeys.id, keyId), isNull(workspaceKeys.revokedAt)),
      ),
    named: db
      .select({ id: namedKeys.id })
      .from(namedKeys)
      .where(and(isNamedKey(workspaceId, keyId), stands)),
  });
  return own.length + named.length === 1;
}

/** Records that a key is in use. The caller decides whether that is due. */
export async function touchKey(db: Database, { workspaceId, id, isNamed }: KeyRow): Promise<void> {
  if (isNamed) await db.update(namedKeys).set({ lastUsedAt: NOW }).where(isNamedKey(workspaceId, id));
  else {
    await db
      .update(workspaceKeys)
      .set({ lastUsedAt: NOW })
      .where(and(eq(workspaceKeys.workspaceId, workspaceId), eq(workspaceKeys.id, id)));
  }
}

export const isNamedKey = (workspaceId: string, id: string) =>
  and(eq(namedKeys.workspaceId, workspaceId), eq(namedKeys.id, id));

/** The statement that reads a member's revoked keys. When a member stops being an owner, all of their keys are revoked. */
export const selectEndedKeys = (db: Database, workspaceId: string, userId: string) =>
  db
    .select({ id: namedKeys.id })
    .from(namedKeys)
    .where(
      and(eq(namedKeys.workspaceId, workspaceId), eq(namedKeys.createdBy, userId), isNotNull(namedKeys.revokedAt)),
    );
