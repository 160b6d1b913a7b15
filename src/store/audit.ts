// The audit log. An entry is written by the batch that carries out its act, so neither exists without the other. The
// statement of the entry comes directly after the statement of the act, and writes only if the act's statement changed a row.
import { and, desc, eq, gte, lt, type SQL, sql } from "drizzle-orm";
import type { AccountEntry, AuditAct, AuditEntry } from "../domain/audit.ts";
import { AUDIT_KEPT_MS } from "../domain/limits.ts";
import { nameOfUser } from "./accounts/names.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db/db.ts";
import { audit, members, users, workspaceAudit } from "./db/schema.ts";

type AuditTable = typeof audit | typeof workspaceAudit;
type EntryIn = Omit<RowIn<AuditEntry>, "actor" | "target"> & {
  actor: RowIn<AuditEntry["actor"]>;
  target: RowIn<AuditEntry["target"]>;
};

/**
 * True if the previous statement changed a row. Rows that its triggers changed do not count
 * (sqlite.org/lang_corefunc.html#changes).
 */
const HAS_CHANGED = sql`changes() > 0`;

function insertEntry(db: Database, table: AuditTable, { actor, target, ...entry }: EntryIn, from: SQL) {
  const row = {
    ...entry,
    actorKind: actor.kind,
    actorId: actor.id,
    actorName: actor.name,
    targetId: target.id,
    targetName: target.name,
  };
  return insertFrom(db, table, row, from).onConflictDoNothing();
}

/**
 * The statement that records an act on rows of the accounts database. `from`: replaces the condition that the previous
 * statement changed a row.
 */
export const recordAccountAct = (db: Database, entry: EntryIn, from: SQL = sql`WHERE ${HAS_CHANGED}`) =>
  insertEntry(db, audit, entry, from);

/** The statement that records an act on rows that move with their workspace. */
export const recordWorkspaceAct = (db: Database, entry: EntryIn) =>
  insertEntry(db, workspaceAudit, entry, sql`WHERE ${HAS_CHANGED}`);

/**
 * The statement that records an act of a person, or of their account key, on the person's account, in all their workspaces. `condition`: replaces the
 * condition that the previous statement changed a row; it may refer to `members`.
 */
export function recordOwnAct(db: Database, { userId, key, ...entry }: AccountEntry, condition: SQL = HAS_CHANGED) {
  const person = { id: userId, name: nameOfUser };
  return recordAccountAct(
    db,
    { ...entry, workspaceId: members.workspaceId, actor: key ?? { kind: "person", ...person }, target: person },
    sql`FROM ${members} JOIN ${users} ON ${users.id} = ${members.userId} WHERE ${members.userId} = ${userId} AND ${condition}`,
  );
}

/** The name of a user, inside a statement. */
export const nameOfUserWithId = (id: string): SQL<string> =>
  sql`(SELECT ${nameOfUser} FROM ${users} WHERE ${users.id} = ${id})`;

export interface AuditFilter {
  act: AuditAct | null;
  actor: string | null;
  target: string | null;
  /** Epoch milliseconds; null: any. */
  since: number | null;
  until: number | null;
  /** The entry after which the page begins; null: start with the newest entry. */
  before: { at: number; id: string } | null;
  limit: number;
}
export type AuditRow = Awaited<ReturnType<typeof readEntries>>[number];

const readEntries = (db: Database, table: AuditTable, workspaceId: string, filter: AuditFilter) => {
  const { act, actor, target, since, until, before, limit } = filter;
  return db
    .select({
      id: table.id,
      at: table.at,
      act: table.act,
      actorKind: table.actorKind,
      actorId: table.actorId,
      actorName: table.actorName,
      targetId: table.targetId,
      targetName: table.targetName,
      address: table.address,
      client: table.client,
      details: table.details,
    })
    .from(table)
    .where(
      and(
        eq(table.workspaceId, workspaceId),
        sql`${table.at} > ${NOW} - ${AUDIT_KEPT_MS}`,
        act === null ? undefined : eq(table.act, act),
        actor === null ? undefined : eq(table.actorId, actor),
        target === null ? undefined : eq(table.targetId, target),
        since === null ? undefined : gte(table.at, since),
        until === null ? undefined : lt(table.at, until),
        before === null ? undefined : sql`(${table.at}, ${table.id}) < (${before.at}, ${before.id})`,
      ),
    )
    .orderBy(desc(table.at), desc(table.id))
    .limit(limit);
};

/** A page of a workspace's log, newest first. It has the entries of the accounts database and of the workspace's database. */
export async function listAudit(
  accounts: Database,
  home: Database,
  workspaceId: string,
  filter: AuditFilter,
): Promise<AuditRow[]> {
  const pages = await Promise.all([
    readEntries(accounts, audit, workspaceId, filter),
    readEntries(home, workspaceAudit, workspaceId, filter),
  ]);
  const isNewer = (a: AuditRow, b: AuditRow) => a.at - b.at || (a.id < b.id ? -1 : 1);
  return pages
    .flat()
    .sort((a, b) => isNewer(b, a))
    .slice(0, filter.limit);
}

/**
 * Deletes entries that are older than the retention period. Entries about people who have seen the current key stay
 * until the key is replaced.
 */
export async function forgetAudit(db: Database, limit: number): Promise<void> {
  for (const [table, condition] of [
    [audit, sql`key_id IS NULL AND`],
    [workspaceAudit, sql``],
  ] as const) {
    const old = sql`SELECT workspace_id, at, id FROM ${table} WHERE ${condition} at <= ${NOW} - ${AUDIT_KEPT_MS}
      ORDER BY at LIMIT ${limit}`;
    await db.run(sql`DELETE FROM ${table} WHERE (workspace_id, at, id) IN (${old})`);
  }
}
