import { and, eq, gt, sql } from "drizzle-orm";
import { HOUR_MS, SESSION_IDLE_MS, SESSIONS_PER_USER_MAX } from "../domain/limits.ts";
import { type Database, NOW } from "./db.ts";
import { sessions, users } from "./schema.ts";

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

/** The user of a living session; undefined when it ended, idled out or never was. */
export async function findSession(db: Database, tokenHash: string) {
  const [row] = await db
    .select({ user: users, lastSeenAt: sessions.lastSeenAt, now: NOW })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.userId))
    .where(
      and(
        eq(sessions.tokenHash, tokenHash),
        gt(sessions.expiresAt, NOW),
        gt(sessions.lastSeenAt, sql`${NOW} - ${SESSION_IDLE_MS}`),
      ),
    );
  return row;
}

/** Notes that a session is in use, at most once an hour. Whether that is due is the caller's to see. */
export async function touchSession(db: Database, tokenHash: string): Promise<void> {
  await db.update(sessions).set({ lastSeenAt: NOW }).where(eq(sessions.tokenHash, tokenHash));
}
export const TOUCH_EVERY_MS = HOUR_MS;

export async function deleteSession(db: Database, tokenHash: string): Promise<void> {
  await db.delete(sessions).where(eq(sessions.tokenHash, tokenHash));
}
