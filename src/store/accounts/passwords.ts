// Signs in with passwords and changes them. Each write names the hash that it relies on, so a password that was
// replaced in the meantime neither opens nor restores anything.
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

/** Ends the device proofs that were made for an account before. */
export const NEXT_DEVICE_GENERATION = sql`${users.deviceGeneration} + 1`;

/**
 * Begins a session for a user whose password matched `verified`, the hash at that time, and replaces the hash by
 * `stored`. Returns false if the password has changed since, or the account has a second factor.
 */
export async function signInWithPassword(
  db: Database,
  { verified, stored }: { verified: string; stored: string },
  session: typeof sessions.$inferInsert,
  entry: OwnEntry,
): Promise<boolean> {
  const { userId } = session;
  const {
    session: [sessionRows],
  } = await batch(db, {
    hash: verified === stored ? [] : [db.update(users).set({ passwordHash: stored }).where(ofUser(userId, verified))],
    session: insertSession(db, session, entry, sql`${hasPassword(userId, stored)} AND NOT ${hasFactor(userId)}`),
  });
  return sessionRows.length === 1;
}

/**
 * The statements that end everything that an old password opened, if `condition` holds: sessions but `keep`, authorized
 * client apps, requested changes of the address, sign-ins that wait for a second factor.
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

/** True of the links that would change an account's address. */
export const isChangeOfAddress = (userId: string) =>
  and(
    eq(addressLinks.userId, userId),
    sql`${addressLinks.email} <> (SELECT ${users.email} FROM ${users} WHERE ${users.id} = ${userId})`,
  );

/**
 * Replaces the password `verified`, and ends everything that it opened except the session `keep`. Returns false if the
 * password has already been replaced.
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
