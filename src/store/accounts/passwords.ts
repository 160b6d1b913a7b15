// Passwords as they are signed in with and changed. A password that was replaced meanwhile opens nothing and comes back by
// nothing: each write names the hash that it relies on.
import { and, eq, ne, type SQL, sql } from "drizzle-orm";
import type { AccountEntry, OwnEntry } from "../../domain/audit.ts";
import { recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { addressLinks, factorChallenges, oauthGrants, resetLinks, sessions, users } from "../db/schema.ts";
import { hasFactor } from "./factors.ts";
import { insertSession } from "./sessions.ts";

const hasPassword = (userId: string, passwordHash: string) =>
  sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId} AND ${users.passwordHash} = ${passwordHash})`;

const ofUser = (userId: string, passwordHash: string) =>
  and(eq(users.id, userId), eq(users.passwordHash, passwordHash));

/** Ends the proofs of devices that were made for an account before. */
export const NEXT_DEVICE_GENERATION = sql`${users.deviceGeneration} + 1`;

/**
 * Begins a session of a user whose password was found right by `verified`, the hash that stood then, and puts `stored` in
 * its place. Returns false when another password stands now, or the account has a second factor.
 */
export async function signInWithPassword(
  db: Database,
  { verified, stored }: { verified: string; stored: string },
  session: typeof sessions.$inferInsert,
  entry: OwnEntry,
): Promise<boolean> {
  const { userId } = session;
  const {
    session: [begun],
  } = await batch(db, {
    hash: verified === stored ? [] : [db.update(users).set({ passwordHash: stored }).where(ofUser(userId, verified))],
    session: insertSession(db, session, entry, sql`${hasPassword(userId, stored)} AND NOT ${hasFactor(userId)}`),
  });
  return begun.length === 1;
}

/**
 * The statements that end what an old password has opened, where `condition` holds: sessions but `keep`, client apps that
 * were let in, changes of the address that were asked for, sign-ins that wait for a second factor.
 */
export function endSignIns(db: Database, userId: string, condition: SQL, keep: string | null) {
  return {
    sessions: db
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), keep === null ? undefined : ne(sessions.tokenHash, keep), condition)),
    grants: db.delete(oauthGrants).where(and(eq(oauthGrants.userId, userId), condition)),
    changes: db.delete(addressLinks).where(and(isChangeOfAddress(userId), condition)),
    challenges: db.delete(factorChallenges).where(and(eq(factorChallenges.userId, userId), condition)),
  };
}

/** True of the links that would give an account another address. */
export const isChangeOfAddress = (userId: string) =>
  and(
    eq(addressLinks.userId, userId),
    sql`${addressLinks.email} <> (SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${userId})`,
  );

/**
 * Puts a password in the place of `verified`, and ends all that the old one opened but the session `keep`. Returns false
 * when another password stands already.
 */
export async function changePassword(
  db: Database,
  { verified, stored }: { verified: string; stored: string },
  keep: string,
  entry: AccountEntry,
): Promise<boolean> {
  const { userId } = entry;
  const isChanged = hasPassword(userId, stored);
  const { changed } = await batch(db, {
    changed: db
      .update(users)
      .set({ passwordHash: stored, deviceGeneration: NEXT_DEVICE_GENERATION })
      .where(ofUser(userId, verified))
      .returning({ id: users.id }),
    recorded: recordOwnAct(db, entry),
    ...endSignIns(db, userId, isChanged, keep),
    resets: db.delete(resetLinks).where(and(eq(resetLinks.userId, userId), isChanged)),
  });
  return changed.length === 1;
}
