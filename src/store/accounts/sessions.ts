import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import { HOUR_MS, SESSION_IDLE_MS, SESSIONS_PER_USER_MAX } from "../../domain/limits.ts";
import { type BatchPart, batchPart } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { members, sessions } from "../db/schema.ts";

/** The statements that begin a session; a user's oldest sessions beyond the cap end. */
export function insertSession(db: Database, row: typeof sessions.$inferInsert) {
  return [
    db.insert(sessions).values(row),
    db.delete(sessions).where(
      and(
        eq(sessions.userId, row.userId),
        sql`${sessions.tokenHash} NOT IN (SELECT s.token_hash FROM sessions s WHERE s.user_id = ${row.userId}
          ORDER BY s.created_at DESC, s.token_hash LIMIT ${SESSIONS_PER_USER_MAX})`,
      ),
    ),
  ] as const;
}

const isLiving = (tokenHash: string) =>
  and(
    eq(sessions.tokenHash, tokenHash),
    gt(sessions.expiresAt, NOW),
    gt(sessions.lastSeenAt, sql`${NOW} - ${SESSION_IDLE_MS}`),
  );

/** A session that is good. Instants are epoch milliseconds, `now` by the database's clock. */
export interface LivingSession {
  userId: string;
  lastSeenAt: number;
  now: number;
  /** Whether its user is a member of the workspace that was asked about. */
  isMember: boolean;
}

/**
 * The user of a living session, and whether they are a member of a workspace (null: none is asked about); undefined when
 * the session ended, idled out or never was.
 */
export function readSession(
  db: Database,
  tokenHash: string,
  workspaceId: string | null,
): BatchPart<LivingSession | undefined> {
  return batchPart(
    {
      rows: db
        .select({ userId: sessions.userId, lastSeenAt: sessions.lastSeenAt, now: NOW, memberOf: members.workspaceId })
        .from(sessions)
        .leftJoin(members, and(eq(members.workspaceId, workspaceId ?? ""), eq(members.userId, sessions.userId)))
        .where(isLiving(tokenHash)),
    },
    ({ rows: [row] }) => {
      if (row === undefined) return undefined;
      const { memberOf, ...session } = row;
      return { ...session, isMember: memberOf !== null };
    },
  );
}

/** The id of a workspace, inside a statement; NULL unless the session lives and its user is a member there. */
export function workspaceOfSession(tokenHash: string, workspaceId: string): SQL {
  return sql`(SELECT m.workspace_id FROM ${sessions} JOIN members m ON m.workspace_id = ${workspaceId}
    AND m.user_id = ${sessions.userId} WHERE ${isLiving(tokenHash)})`;
}

/** Notes that a session is in use, at most once an hour. Whether that is due is the caller's to see. */
export async function touchSession(db: Database, tokenHash: string): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: NOW }).where(eq(sessions.tokenHash, tokenHash));
}
export const TOUCH_EVERY_MS = HOUR_MS;

export async function deleteSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}
