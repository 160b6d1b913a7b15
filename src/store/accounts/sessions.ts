import { and, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { OwnEntry } from "../../domain/audit.ts";
import { HOUR_MS, SESSION_IDLE_MS, SESSIONS_PER_USER_MAX } from "../../domain/limits.ts";
import type { Role } from "../../domain/roles.ts";
import { recordOwnAct } from "../audit.ts";
import { type Statements, toStatements } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { members, sessions, users, workspaces } from "../db/schema.ts";
import { hasFactor } from "./factors.ts";
import { nameOfUser } from "./names.ts";

/**
 * The statements that begin a session and add the audit entry, if `condition` holds, and that end the user's oldest sessions
 * above the maximum. The first statement returns a row if the session began.
 */
export function insertSession(
  db: Database,
  row: typeof sessions.$inferInsert,
  entry: OwnEntry,
  condition: SQL = sql`TRUE`,
) {
  return [
    insertFrom(db, sessions, row, sql`WHERE ${condition}`).returning({ userId: sessions.userId }),
    recordOwnAct(db, { ...entry, userId: row.userId }),
    db.delete(sessions).where(
      and(
        eq(sessions.userId, row.userId),
        sql`${sessions.tokenHash} NOT IN (SELECT s.token_hash FROM sessions s WHERE s.user_id = ${row.userId}
          ORDER BY s.created_at DESC, s.token_hash LIMIT ${SESSIONS_PER_USER_MAX})`,
      ),
    ),
  ] as const;
}

const isNotOver = and(gt(sessions.expiresAt, NOW), gt(sessions.lastSeenAt, sql`${NOW} - ${SESSION_IDLE_MS}`));
const isLiving = (tokenHash: string) => and(eq(sessions.tokenHash, tokenHash), isNotOver);

/** A valid session. Instants are epoch milliseconds, `now` by the database's clock. */
export interface LivingSession {
  userId: string;
  /** The user's name, or address. */
  name: string;
  lastSeenAt: number;
  now: number;
  /**
   * The user's role in the requested workspace, and the database of its rows; null: they are not a member.
   * `needsFactor`: the workspace requires a second factor, and they have none.
   */
  membership: { role: Role; home: number; rightsEpoch: number; needsFactor: boolean } | null;
}

/**
 * The user of a valid session, and their role in a workspace (null: no workspace was requested); undefined if the
 * session ended, timed out or never existed.
 */
export function readSession(
  db: Database,
  tokenHash: string,
  workspaceId: string | null,
): Statements<LivingSession | undefined> {
  return toStatements(
    {
      rows: db
        .select({
          userId: sessions.userId,
          name: nameOfUser.as("name"),
          lastSeenAt: sessions.lastSeenAt,
          now: NOW,
          role: members.role,
          home: workspaces.home,
          rightsEpoch: workspaces.rightsEpoch,
          needsFactor: sql<number>`(${workspaces.requireFactor} AND NOT ${hasFactor(sessions.userId)})`.as(
            "needs_factor",
          ),
        })
        .from(sessions)
        .innerJoin(users, eq(users.id, sessions.userId))
        .leftJoin(members, and(eq(members.workspaceId, workspaceId ?? ""), eq(members.userId, sessions.userId)))
        .leftJoin(workspaces, eq(workspaces.id, members.workspaceId))
        .where(isLiving(tokenHash)),
    },
    ({ rows: [row] }) => {
      if (row === undefined) return undefined;
      const { role, home, rightsEpoch, needsFactor, ...session } = row;
      const isMember = role !== null && home !== null && rightsEpoch !== null;
      return { ...session, membership: isMember ? { role, home, rightsEpoch, needsFactor: needsFactor === 1 } : null };
    },
  );
}

/** The id of a workspace, inside a statement; NULL unless the session is valid and its user is a member there. */
export function workspaceOfSession(tokenHash: string, workspaceId: string): SQL {
  return sql`(SELECT m.workspace_id FROM ${sessions} JOIN members m ON m.workspace_id = ${workspaceId}
    AND m.user_id = ${sessions.userId} WHERE ${isLiving(tokenHash)})`;
}

/** Records that a session is in use. Callers do this only if the last record is older than `TOUCH_EVERY_MS`. */
export async function touchSession(db: Database, tokenHash: string): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: NOW }).where(eq(sessions.tokenHash, tokenHash));
}
export const TOUCH_EVERY_MS = HOUR_MS;

/** During a deploy, the older release still begins sessions without an id. A part of the hash then serves as the id. */
const sessionId = sql<string>`COALESCE(${sessions.id}, 'ses_' || SUBSTR(${sessions.tokenHash}, 1, 26))`;

export interface SessionRow {
  id: string;
  tokenHash: string;
  /** The client's short name; null if the client sent no name. */
  userAgent: string | null;
  createdAt: number;
  lastSeenAt: number;
  expiresAt: number;
}

/** A page of a user's valid sessions, newest first. `before`: only sessions with a lower id. */
export async function listSessions(
  db: Database,
  userId: string,
  limit: number,
  before: string | null,
): Promise<SessionRow[]> {
  const { tokenHash, userAgent, createdAt, lastSeenAt, expiresAt } = sessions;
  return db
    .select({ id: sessionId, tokenHash, userAgent, createdAt, lastSeenAt, expiresAt })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNotOver, before === null ? undefined : lt(sessionId, before)))
    .orderBy(desc(sessionId))
    .limit(limit);
}

/** Ends one of a user's sessions by its id. Returns whether it existed. */
export async function endSession(db: Database, userId: string, id: string): Promise<boolean> {
  const ended = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, userId), eq(sessionId, id), isNotOver))
    .returning({ userId: sessions.userId });
  return ended.length === 1;
}

export async function deleteSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}
