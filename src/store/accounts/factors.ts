// The second factors of a person, and the recovery codes that replace them.
import { and, asc, eq, isNotNull, isNull, ne, type SQL, sql } from "drizzle-orm";
import type { AccountEntry } from "../../domain/audit.ts";
import { FACTOR_CHALLENGE_LIFE_MS, FACTORS_MAX } from "../../domain/limits.ts";
import { recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { factorChallenges, factors, recoveryCodes, sessions } from "../db/schema.ts";

export type FactorRow = typeof factors.$inferSelect;

const isConfirmedFactor = (userId: string) => and(eq(factors.userId, userId), isNotNull(factors.confirmedAt));

/** Whether a person has a second factor, inside a statement. */
export const hasFactor = (userId: In<string>): SQL =>
  sql`EXISTS (SELECT 1 FROM ${factors} WHERE ${factors.userId} = ${userId} AND ${factors.confirmedAt} IS NOT NULL)`;

/** A person's confirmed factors, oldest first. */
export async function listFactors(db: Database, userId: string): Promise<FactorRow[]> {
  return db.select().from(factors).where(isConfirmedFactor(userId)).orderBy(asc(factors.id));
}

/** A person's factors, and the number of their unused recovery codes. */
export async function readFactors(
  db: Database,
  userId: string,
): Promise<{ factors: FactorRow[]; recoveryCodesLeft: number }> {
  const { rows, codes } = await batch(db, {
    rows: db.select().from(factors).where(isConfirmedFactor(userId)).orderBy(asc(factors.id)),
    codes: db.select({ hash: recoveryCodes.hash }).from(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
  });
  return { factors: rows, recoveryCodesLeft: codes.length };
}

/**
 * Begins to set up a factor, replacing any other unconfirmed one. Returns false if the person has the maximum number of
 * factors.
 */
export async function beginFactor(db: Database, row: typeof factors.$inferInsert): Promise<boolean> {
  const { userId } = row;
  const { begun } = await batch(db, {
    forgotten: db.delete(factors).where(and(eq(factors.userId, userId), isNull(factors.confirmedAt))),
    begun: insertFrom(
      db,
      factors,
      row,
      sql`WHERE (SELECT COUNT(*) FROM ${factors} WHERE ${factors.userId} = ${userId}) < ${FACTORS_MAX}`,
    ).returning({ id: factors.id }),
  });
  return begun.length === 1;
}

const isBegun = (userId: string, id: string) =>
  and(
    eq(factors.id, id),
    eq(factors.userId, userId),
    isNull(factors.confirmedAt),
    sql`${factors.createdAt} > ${NOW} - ${FACTOR_CHALLENGE_LIFE_MS}`,
  );

/** The factor that a person is setting up; undefined: it does not exist, or has expired. */
export async function findBegunFactor(db: Database, userId: string, id: string): Promise<FactorRow | undefined> {
  const [row] = await db.select().from(factors).where(isBegun(userId, id));
  return row;
}

/** The statement that stores recovery codes for a person, if `condition` holds. It returns their hashes. */
const insertCodes = (db: Database, userId: string, hashes: string[], condition: SQL) =>
  insertFrom(
    db,
    recoveryCodes,
    { userId, hash: sql`value` },
    sql`FROM json_each(${JSON.stringify(hashes)}) WHERE ${condition}`,
  ).returning({ hash: recoveryCodes.hash });

/**
 * Confirms a factor. With a person's first factor, the hashes of recovery codes are stored and every session but `keep`
 * ends, because those began with a password alone. Returns whether it was the first; undefined: nothing could be
 * confirmed.
 */
export async function confirmFactor(
  db: Database,
  { userId, id, ...factorFields }: Pick<FactorRow, "userId" | "id" | "counter"> & Partial<FactorRow>,
  { hashes, keep }: { hashes: string[]; keep: string },
  entry: AccountEntry,
): Promise<{ isFirst: boolean } | undefined> {
  const isOnly = sql`EXISTS (SELECT 1 FROM ${factors} WHERE ${factors.id} = ${id} AND ${factors.confirmedAt} IS NOT NULL)
    AND NOT EXISTS (SELECT 1 FROM factors other WHERE other.user_id = ${userId} AND other.id <> ${id}
      AND other.confirmed_at IS NOT NULL)`;
  const hasNoCodes = sql`NOT EXISTS (SELECT 1 FROM ${recoveryCodes} WHERE ${recoveryCodes.userId} = ${userId})`;
  const { confirmed, codes } = await batch(db, {
    confirmed: db
      .update(factors)
      .set({ ...factorFields, confirmedAt: NOW })
      .where(isBegun(userId, id))
      .returning({ id: factors.id }),
    recorded: recordOwnAct(db, entry),
    ended: db
      .delete(sessions)
      .where(and(eq(sessions.userId, userId), ne(sessions.tokenHash, keep), isOnly, hasNoCodes)),
    codes: insertCodes(db, userId, hashes, sql`${isOnly} AND ${hasNoCodes}`),
  });
  return confirmed.length === 1 ? { isFirst: codes.length > 0 } : undefined;
}

/** Removes a factor; with the last one, the recovery codes are removed too. Returns the removed factor. */
export async function removeFactor(db: Database, id: string, entry: AccountEntry): Promise<FactorRow | undefined> {
  const { userId } = entry;
  const { removed } = await batch(db, {
    removed: db
      .delete(factors)
      .where(and(eq(factors.id, id), isConfirmedFactor(userId)))
      .returning(),
    recorded: recordOwnAct(db, entry),
    codes: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), sql`NOT ${hasFactor(userId)}`)),
    challenges: db
      .delete(factorChallenges)
      .where(and(eq(factorChallenges.userId, userId), sql`NOT ${hasFactor(userId)}`)),
  });
  return removed[0];
}

/** Replaces all remaining recovery codes. Returns false if the person has no factor. */
export async function replaceRecoveryCodes(db: Database, hashes: string[], entry: AccountEntry): Promise<boolean> {
  const { userId } = entry;
  const { codes } = await batch(db, {
    forgotten: db.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId)),
    codes: insertCodes(db, userId, hashes, hasFactor(userId)),
    recorded: recordOwnAct(db, entry),
  });
  return codes.length > 0;
}

/** The statements that remove all factors of a person, if `condition` holds. */
export const endFactors = (db: Database, userId: string, condition: SQL) => ({
  endedFactors: db.delete(factors).where(and(eq(factors.userId, userId), condition)),
  endedCodes: db.delete(recoveryCodes).where(and(eq(recoveryCodes.userId, userId), condition)),
  endedChallenges: db.delete(factorChallenges).where(and(eq(factorChallenges.userId, userId), condition)),
});
