// Portals, by which clients without an account decide on posts. A portal is stored with the hash of its token.
import { and, asc, desc, eq, getTableColumns, gt, lt, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { DAY_MS, PORTALS_MAX } from "../../domain/limits.ts";
import { recordAccountAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { portalDecisions, portals } from "../db/schema.ts";

export type PortalRow = typeof portals.$inferSelect;
export type PortalDecisionRow = typeof portalDecisions.$inferSelect;

const isOpen = gt(portals.expiresAt, NOW);
const isPortal = (workspaceId: string, id: string) =>
  and(eq(portals.workspaceId, workspaceId), eq(portals.id, id), isOpen);

/** Stores a portal and deletes expired ones. False: the workspace has the maximum number of portals. */
export async function insertPortal(db: Database, row: PortalRow, entry: AuditEntry): Promise<boolean> {
  const hasRoom = sql`(SELECT COUNT(*) FROM portals other WHERE other.workspace_id = ${row.workspaceId}) < ${PORTALS_MAX}`;
  const { stored } = await batch(db, {
    expired: db.delete(portals).where(lt(portals.expiresAt, NOW)),
    stored: insertFrom(db, portals, row, sql`WHERE ${hasRoom}`).returning({ id: portals.id }),
    recorded: recordAccountAct(db, entry),
  });
  return stored.length === 1;
}

/** The open portals of a workspace, newest first, before `before` (null: from the newest). */
export const listPortals = (db: Database, workspaceId: string, limit: number, before: string | null) =>
  db
    .select()
    .from(portals)
    .where(and(eq(portals.workspaceId, workspaceId), isOpen, before === null ? undefined : lt(portals.id, before)))
    .orderBy(desc(portals.id))
    .limit(limit);

/** Changes an open portal, which keeps its id even if `fields` is empty; undefined: there is none. */
export async function changePortal(
  db: Database,
  id: string,
  fields: Partial<Pick<PortalRow, "name" | "channels" | "labels" | "brand" | "expiresAt">>,
  entry: AuditEntry,
): Promise<PortalRow | undefined> {
  const { workspaceId } = entry;
  const { changed } = await batch(db, {
    changed: db
      .update(portals)
      .set({ id, ...fields })
      .where(isPortal(workspaceId, id))
      .returning(),
    recorded: recordAccountAct(db, entry),
  });
  return changed[0];
}

/** Deletes an open portal. False: there is none. */
export async function deletePortal(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { deleted } = await batch(db, {
    deleted: db.delete(portals).where(isPortal(entry.workspaceId, id)).returning({ id: portals.id }),
    recorded: recordAccountAct(db, entry),
  });
  return deleted.length === 1;
}

/** The open portal with this token; undefined: it has expired, was removed, or never existed. */
export async function findPortal(db: Database, tokenHash: string): Promise<PortalRow | undefined> {
  const [row] = await db
    .select()
    .from(portals)
    .where(and(eq(portals.tokenHash, tokenHash), isOpen));
  return row;
}

/** How long visitors of a portal see decisions. */
const SHOWN_MS = 30 * DAY_MS;

/** Stores decisions for the visitors of a portal, and deletes the oldest ones. */
export async function storeDecisions(db: Database, rows: readonly PortalDecisionRow[]): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const { workspaceId, portalId } = first;
  await batch(db, {
    expired: db
      .delete(portalDecisions)
      .where(
        and(
          eq(portalDecisions.workspaceId, workspaceId),
          eq(portalDecisions.portalId, portalId),
          sql`${portalDecisions.decidedAt} < ${NOW} - ${SHOWN_MS}`,
        ),
      ),
    // The portal may have been removed since.
    stored: rows.map((row) =>
      insertFrom(
        db,
        portalDecisions,
        row,
        sql`FROM ${portals} WHERE ${portals.workspaceId} = ${workspaceId} AND ${portals.id} = ${portalId}`,
      ).onConflictDoNothing(),
    ),
  });
}

/** The latest decisions in a portal, newest first. */
export const latestDecisions = (db: Database, workspaceId: string, portalId: string, limit: number) =>
  db
    .select()
    .from(portalDecisions)
    .where(and(eq(portalDecisions.workspaceId, workspaceId), eq(portalDecisions.portalId, portalId)))
    .orderBy(desc(portalDecisions.decidedAt), desc(portalDecisions.postId))
    .limit(limit);

/** The key of a decision in its workspace. */
export type DecisionKey = Pick<PortalDecisionRow, "portalId" | "postId" | "rev">;

/** A page of the decisions in the open portals of a workspace, in the order of their keys, after `after`. */
export const allDecisions = (db: Database, workspaceId: string, limit: number, after: DecisionKey | null) =>
  db
    .select(getTableColumns(portalDecisions))
    .from(portalDecisions)
    .innerJoin(
      portals,
      and(eq(portals.workspaceId, portalDecisions.workspaceId), eq(portals.id, portalDecisions.portalId), isOpen),
    )
    .where(
      and(
        eq(portalDecisions.workspaceId, workspaceId),
        after === null
          ? undefined
          : sql`(${portalDecisions.portalId}, ${portalDecisions.postId}, ${portalDecisions.rev})
              > (${after.portalId}, ${after.postId}, ${after.rev})`,
      ),
    )
    .orderBy(asc(portalDecisions.portalId), asc(portalDecisions.postId), asc(portalDecisions.rev))
    .limit(limit);
