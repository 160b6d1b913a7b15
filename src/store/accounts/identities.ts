// Identities from the sign-in provider, and the sign-in states that were used.
import { and, eq, lt, sql } from "drizzle-orm";
import type { OwnEntry } from "../../domain/audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import { identities, type sessions, usedStates, users } from "../db/schema.ts";
import type { UserRow } from "./accounts.ts";
import { endUnproven } from "./end-unproven.ts";
import { hasFactor } from "./factors.ts";
import { NEXT_DEVICE_GENERATION } from "./passwords.ts";
import { insertSession } from "./sessions.ts";
import { isMade } from "./sign-up.ts";

/** Uses up a state. Returns false if it was used before. */
export async function takeState(db: Database, id: string, expiresAt: number): Promise<boolean> {
  const { taken } = await batch(db, {
    forgotten: db.delete(usedStates).where(lt(usedStates.expiresAt, NOW)),
    taken: db.insert(usedStates).values({ id, expiresAt }).onConflictDoNothing().returning({ id: usedStates.id }),
  });
  return taken.length === 1;
}

export async function findByIdentity(db: Database, issuer: string, subject: string): Promise<UserRow | undefined> {
  const [row] = await db
    .select({ user: users })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.userId))
    .where(and(eq(identities.issuer, issuer), eq(identities.subject, subject)));
  return row?.user;
}

/** Whether a user already has an identity at a provider, under any subject. */
export async function hasIdentityAt(db: Database, userId: string, issuer: string): Promise<boolean> {
  const rows = await db
    .select({ subject: identities.subject })
    .from(identities)
    .where(and(eq(identities.userId, userId), eq(identities.issuer, issuer)));
  return rows.length > 0;
}

/** Begins a session for a user whom a provider has identified. Returns false if the account has a second factor. */
export async function signInWithIdentity(
  db: Database,
  session: typeof sessions.$inferInsert,
  entry: OwnEntry,
): Promise<boolean> {
  const [sessionRows] = await db.batch(insertSession(db, session, entry, sql`NOT ${hasFactor(session.userId)}`));
  return sessionRows.length === 1;
}

type IdentityRow = typeof identities.$inferInsert;

/** The statement that links an identity to its user, if they have an account. */
export function insertIdentity(db: Database, row: IdentityRow) {
  return insertFrom(db, identities, row, sql`WHERE ${isMade(row.userId)}`);
}

/** Links a provider's identity to a user whose address was already verified. */
export async function linkProven(db: Database, row: IdentityRow): Promise<void> {
  await db.batch([insertIdentity(db, row)]);
}

/**
 * Links an identity to an account whose address is unverified, so its creator may not be the owner of the address. Its
 * password and everything that was made in it end in the same transaction. Returns the revoked keys.
 */
export async function linkUnproven(db: Database, row: IdentityRow, entry: OwnEntry): Promise<string[]> {
  const { userId } = row;
  const { revokedKeys, revokedNamedKeys } = await batch(db, {
    identity: insertIdentity(db, row),
    ...endUnproven(db, { ...entry, userId }, sql`TRUE`),
    user: db
      .update(users)
      .set({ passwordHash: null, emailVerifiedAt: NOW, deviceGeneration: NEXT_DEVICE_GENERATION })
      .where(eq(users.id, userId)),
  });
  return [...revokedKeys, ...revokedNamedKeys].map(({ id }) => id);
}
