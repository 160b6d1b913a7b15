import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import type { AccountEntry, AuditEntry } from "../../domain/audit.ts";
import type { Brand } from "../../domain/brand.ts";
import type { Rechecks } from "../../domain/delivery/recheck.ts";
import type { Micros } from "../../domain/money.ts";
import type { ApprovalSetting } from "../../domain/posts/approval.ts";
import type { LinkTags } from "../../domain/posts/link-tags.ts";
import type { MediaFit } from "../../domain/posts/sent-file.ts";
import { recordAccountAct, recordOwnAct } from "../audit.ts";
import { batch, type Statements, toStatements } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { audit, members, workspaceKeys, workspaces } from "../db/schema.ts";
import type { Membership, WorkspaceRow } from "./accounts.ts";
import { isOwned, isOwner } from "./members.ts";

/** The workspace, with the user's role in it; undefined if it does not exist or the user is not a member. */
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

/** The brand of a workspace's pages for clients; null: none. */
export async function getBrand(db: Database, workspaceId: string): Promise<Brand | null> {
  const [row] = await db.select({ brand: workspaces.brand }).from(workspaces).where(eq(workspaces.id, workspaceId));
  return row?.brand ?? null;
}

export function readTimezone(db: Database, workspaceId: In<string>): Statements<string> {
  const rows = db.select({ timezone: workspaces.timezone }).from(workspaces).where(eq(workspaces.id, workspaceId));
  return toStatements({ rows }, ({ rows: [row] }) => row?.timezone ?? "UTC");
}

export async function currentKey(db: Database, workspaceId: string) {
  const [row] = await db
    .select()
    .from(workspaceKeys)
    .where(and(eq(workspaceKeys.workspaceId, workspaceId), isNull(workspaceKeys.revokedAt)));
  return row;
}

/**
 * Records that the owner `userId` is shown a workspace's key. Returns false if they are no longer an owner and so may
 * not see the key.
 */
export async function noteKeySeen(db: Database, entry: AuditEntry, userId: string, keyId: string): Promise<boolean> {
  const { workspaceId } = entry;
  const { recorded } = await batch(db, {
    recorded: recordAccountAct(db, entry, sql`WHERE ${isOwner(workspaceId, userId)}`).returning({ id: audit.id }),
    noted: noteSeenKey(db, entry, userId, keyId),
  });
  return recorded.length === 1;
}

/** The statement that adds the user and the key that they were shown to an audit entry. */
const noteSeenKey = (db: Database, { workspaceId, at, id }: AuditEntry, userId: string, keyId: string) =>
  db
    .update(audit)
    .set({ userId, keyId })
    .where(and(eq(audit.workspaceId, workspaceId), eq(audit.at, at), eq(audit.id, id)));

/** Changes settings of a workspace; without any, it changes nothing. */
export async function changeSettings(
  db: Database,
  settings: {
    name?: string;
    approval?: ApprovalSetting;
    fourEyes?: boolean;
    requireFactor?: boolean;
    mediaFit?: MediaFit;
    rechecks?: Rechecks | null;
    budget?: Micros | null;
    linkTags?: LinkTags | null;
    brand?: Brand | null;
    metadata?: Record<string, string> | null;
    timezone?: string;
  },
  entry: AuditEntry,
): Promise<void> {
  if (Object.values(settings).every((setting) => setting === undefined)) return;
  await batch(db, {
    changed: db.update(workspaces).set(settings).where(eq(workspaces.id, entry.workspaceId)),
    recorded: recordAccountAct(db, entry),
  });
}

/** The workspace of a person that has an external id; undefined: none of those that they own has it. */
export async function findByExternalId(
  db: Database,
  owner: string,
  externalId: string,
): Promise<WorkspaceRow | undefined> {
  const [row] = await db.select().from(workspaces).where(hasExternalId(owner, externalId));
  return row;
}

const hasExternalId = (owner: string, externalId: string | null) =>
  and(eq(workspaces.externalOwner, owner), eq(workspaces.externalId, externalId ?? ""));

/**
 * Stores another workspace of `owner` if they own fewer than `workspacesMax` (null: no limit), and no workspace with its
 * external id. Returns the workspace with this external id if there is one already, and null if the plan has no room.
 */
export async function insertAnotherWorkspace(
  db: Database,
  workspace: WorkspaceRow,
  owner: string,
  key: { id: string; hash: string; sealed: string },
  workspacesMax: number | null,
  entry: AccountEntry,
): Promise<{ is: "stored" } | { is: "exists"; workspace: WorkspaceRow } | null> {
  const { id, externalId, createdAt } = workspace;
  const exists = sql`WHERE EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${id})`;
  const isTaken = sql`EXISTS (SELECT 1 FROM ${workspaces} WHERE ${hasExternalId(owner, externalId)})`;
  const { rows, existing } = await batch(db, {
    workspace: insertFrom(
      db,
      workspaces,
      workspace,
      sql`WHERE NOT ${isTaken} AND (${workspacesMax} IS NULL OR (SELECT COUNT(*) FROM ${members}
        WHERE ${members.userId} = ${owner} AND ${members.role} = 'owner') < ${workspacesMax})`,
    ),
    owner: insertFrom(db, members, { workspaceId: id, userId: owner, role: "owner", createdAt }, exists),
    key: insertFrom(db, workspaceKeys, { workspaceId: id, ...key, createdAt }, exists),
    recorded: recordOwnAct(db, entry, eq(members.workspaceId, id)),
    rows: db.select({ id: workspaces.id }).from(workspaces).where(eq(workspaces.id, id)),
    existing: db.select().from(workspaces).where(hasExternalId(owner, externalId)),
  });
  if (rows.length === 1) return { is: "stored" };
  const [taken] = existing;
  return taken === undefined ? null : { is: "exists", workspace: taken };
}

/**
 * Revokes the current key and stores a new one, which is shown to the owner `userId`. Returns the ids of the revoked
 * keys, or undefined if the user is no longer an owner; then nothing has changed.
 */
export async function replaceKey(
  db: Database,
  entry: AuditEntry,
  userId: string,
  key: { id: string; hash: string; sealed: string; createdAt: number },
): Promise<string[] | undefined> {
  const { workspaceId } = entry;
  const owns = isOwner(workspaceId, userId);
  const { ended, stored } = await batch(db, {
    ended: db
      .update(workspaceKeys)
      .set({ revokedAt: NOW, sealed: null })
      .where(and(eq(workspaceKeys.workspaceId, workspaceId), isNull(workspaceKeys.revokedAt), owns))
      .returning({ id: workspaceKeys.id }),
    // Records of people who saw the old key are no longer needed.
    forgotten: db
      .update(audit)
      .set({ userId: null, keyId: null })
      .where(and(eq(audit.workspaceId, workspaceId), isNotNull(audit.keyId), owns)),
    stored: insertFrom(db, workspaceKeys, { workspaceId, ...key }, sql`WHERE ${owns}`).returning({
      id: workspaceKeys.id,
    }),
    recorded: recordAccountAct(db, entry),
    noted: noteSeenKey(db, entry, userId, key.id),
  });
  return stored.length === 0 ? undefined : ended.map(({ id }) => id);
}
