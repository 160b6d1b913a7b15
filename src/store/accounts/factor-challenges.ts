// Challenges to present a second factor. A challenge and the evidence that answers it can each be used only once, so one
// transaction uses up both.
import { and, eq, gt, isNull, lt, type SQL, sql } from "drizzle-orm";
import type { OwnEntry } from "../../domain/audit.ts";
import { FACTOR_SHOWN_LIFE_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { factorChallenges, factors, recoveryCodes, sessions, users } from "../db/schema.ts";
import { hasFactor } from "./factors.ts";
import { insertSession } from "./sessions.ts";

/** Evidence that was found to be correct. */
export type Evidence =
  /**
   * `counter` is the factor's counter as it was read. If the stored counter differs by now, newer evidence was used in the
   * meantime. `nextCounter` replaces it.
   */
  { kind: "factor"; factorId: string; counter: number; nextCounter: number } | { kind: "recovery_code"; hash: string };

/** Stores a challenge, and deletes expired ones. */
export async function storeChallenge(db: Database, row: typeof factorChallenges.$inferInsert): Promise<void> {
  await db.batch([
    db.delete(factorChallenges).where(lt(factorChallenges.expiresAt, NOW)),
    db.insert(factorChallenges).values(row),
  ]);
}

const isOpen = (tokenHash: string, sessionHash: string | null) =>
  and(
    eq(factorChallenges.tokenHash, tokenHash),
    sessionHash === null ? isNull(factorChallenges.sessionHash) : eq(factorChallenges.sessionHash, sessionHash),
    isNull(factorChallenges.usedBy),
    gt(factorChallenges.expiresAt, NOW),
  );

/**
 * The user of a challenge; undefined if the challenge was used, has expired, or belongs to another session. `sessionHash` is
 * null for the challenge of a sign-in.
 */
export async function findChallenge(
  db: Database,
  tokenHash: string,
  sessionHash: string | null,
): Promise<{ userId: string } | undefined> {
  const [row] = await db
    .select({ userId: factorChallenges.userId })
    .from(factorChallenges)
    .where(isOpen(tokenHash, sessionHash));
  return row;
}

interface Use {
  tokenHash: string;
  userId: string;
  evidence: Evidence;
  /** A random mark for the used challenge, so that of two concurrent calls, each recognizes only its own use. */
  mark: string;
}

/** The statements that use up a challenge and its evidence, and a condition that is true for this use alone. */
function useUp(db: Database, { tokenHash, userId, evidence, mark }: Use, sessionHash: string | null) {
  const mine = sql`EXISTS (SELECT 1 FROM ${factorChallenges} WHERE ${factorChallenges.tokenHash} = ${tokenHash}
    AND ${factorChallenges.usedBy} = ${mark})`;
  const [stands, takeStatement] = takeEvidence(db, userId, evidence, mine);
  const used = db
    .update(factorChallenges)
    .set({ usedBy: mark })
    .where(and(isOpen(tokenHash, sessionHash), eq(factorChallenges.userId, userId), stands))
    .returning({ userId: factorChallenges.userId });
  return { mine, statements: { used, taken: takeStatement } };
}

/** A condition that is true while the evidence is valid, and the statement that uses it up. */
function takeEvidence(db: Database, userId: string, evidence: Evidence, mine: SQL) {
  if (evidence.kind === "recovery_code") {
    const { hash } = evidence;
    const stands = sql`EXISTS (SELECT 1 FROM ${recoveryCodes} WHERE ${recoveryCodes.userId} = ${userId}
      AND ${recoveryCodes.hash} = ${hash})`;
    const deleteStatement = db
      .delete(recoveryCodes)
      .where(and(eq(recoveryCodes.userId, userId), eq(recoveryCodes.hash, hash), mine));
    return [stands, deleteStatement] as const;
  }
  const { factorId, counter, nextCounter } = evidence;
  const stands = sql`EXISTS (SELECT 1 FROM ${factors} WHERE ${factors.id} = ${factorId} AND ${factors.userId} = ${userId}
    AND ${factors.confirmedAt} IS NOT NULL AND ${factors.counter} = ${counter})`;
  const updateStatement = db
    .update(factors)
    .set({ counter: nextCounter, lastUsedAt: NOW })
    .where(and(eq(factors.id, factorId), mine));
  return [stands, updateStatement] as const;
}

/**
 * Begins a session by answering a challenge. Its first protected call does not ask for the factor again. Returns false if the
 * challenge or the evidence was used in the meantime.
 */
export async function signInByChallenge(
  db: Database,
  use: Use,
  session: typeof sessions.$inferInsert,
  entry: OwnEntry,
): Promise<boolean> {
  const { mine, statements } = useUp(db, use, null);
  const sessionRow = { ...session, factorShownAt: session.createdAt };
  const { used } = await batch(db, { ...statements, session: insertSession(db, sessionRow, entry, mine) });
  return used.length === 1;
}

/**
 * Records that a session has shown a factor. Returns false if the challenge or the evidence was used in the meantime.
 */
export async function noteFactorShown(db: Database, use: Use, sessionHash: string): Promise<boolean> {
  const { mine, statements } = useUp(db, use, sessionHash);
  const { used } = await batch(db, {
    ...statements,
    shown: db
      .update(sessions)
      .set({ factorShownAt: NOW })
      .where(and(eq(sessions.tokenHash, sessionHash), eq(sessions.userId, use.userId), mine)),
  });
  return used.length === 1;
}

/** Whether a user has a factor, and whether this session has just presented one. That covers one call, so it is used up. */
export async function takeShownFactor(
  db: Database,
  userId: string,
  sessionHash: string,
): Promise<{ isNeeded: boolean; isShown: boolean }> {
  const { needed, taken } = await batch(db, {
    needed: db
      .select({ id: users.id })
      .from(users)
      .where(and(eq(users.id, userId), hasFactor(userId))),
    taken: db
      .update(sessions)
      .set({ factorShownAt: null })
      .where(
        and(eq(sessions.tokenHash, sessionHash), sql`${sessions.factorShownAt} > ${NOW} - ${FACTOR_SHOWN_LIFE_MS}`),
      )
      .returning({ userId: sessions.userId }),
  });
  return { isNeeded: needed.length === 1, isShown: taken.length === 1 };
}
