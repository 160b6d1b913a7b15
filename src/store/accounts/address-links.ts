// Links that were mailed to an address. A link, used in a session of its user, verifies the address.
import { and, eq, gt, lt, ne, or, sql } from "drizzle-orm";
import type { AccountEntry } from "../../domain/audit.ts";
import { recordOwnAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { addressLinks, resetLinks, users } from "../db/schema.ts";
import { isChangeOfAddress } from "./passwords.ts";

type AddressLinkRow = typeof addressLinks.$inferSelect;

/** Stores a link. Only the last requested change of address stays valid. */
export async function storeAddressLink(db: Database, row: AddressLinkRow): Promise<void> {
  await db.batch([
    db
      .delete(addressLinks)
      .where(
        and(
          eq(addressLinks.userId, row.userId),
          or(lt(addressLinks.expiresAt, NOW), and(ne(addressLinks.email, row.email), isChangeOfAddress(row.userId))),
        ),
      ),
    db.insert(addressLinks).values(row),
  ]);
}

const isGood = (tokenHash: string) => and(eq(addressLinks.tokenHash, tokenHash), gt(addressLinks.expiresAt, NOW));

/** Whether a user has a valid link to an address. */
export async function hasAddressLink(db: Database, userId: string, email: string): Promise<boolean> {
  const rows = await db
    .select({ email: addressLinks.email })
    .from(addressLinks)
    .where(and(eq(addressLinks.userId, userId), eq(addressLinks.email, email), gt(addressLinks.expiresAt, NOW)))
    .limit(1);
  return rows.length === 1;
}

/** A valid link; undefined: it has expired, was voided, or never existed. */
export async function findAddressLink(db: Database, tokenHash: string): Promise<AddressLinkRow | undefined> {
  const [link] = await db.select().from(addressLinks).where(isGood(tokenHash));
  return link;
}

/**
 * Verifies the address of a user's link, and makes it the account's address if it is a new one; reset links that were
 * sent to the old address are then void. Ends nothing else. Idempotent. Returns the replaced address, null if none was
 * replaced; undefined: the user has no such link. Fails on `users.email` if another account has the address.
 */
export async function proveAddress(
  db: Database,
  tokenHash: string,
  entry: AccountEntry,
): Promise<{ replaced: string | null } | undefined> {
  const { userId } = entry;
  const link = sql`(SELECT ${addressLinks.email} FROM ${addressLinks} WHERE ${isGood(tokenHash)}
    AND ${addressLinks.userId} = ${userId})`;
  const isOther = sql`EXISTS (SELECT 1 FROM ${users} WHERE ${users.id} = ${userId} AND ${users.email} <> ${link})`;
  const {
    before: [before],
    links: [good],
  } = await batch(db, {
    before: db.select({ email: users.email }).from(users).where(eq(users.id, userId)),
    links: db
      .select({ email: addressLinks.email })
      .from(addressLinks)
      .where(and(isGood(tokenHash), eq(addressLinks.userId, userId))),
    resets: db.delete(resetLinks).where(and(eq(resetLinks.userId, userId), isOther)),
    recorded: recordOwnAct(db, entry, isOther),
    proven: db
      .update(users)
      .set({
        email: sql`${link}`,
        emailVerifiedAt: sql`CASE WHEN ${users.email} = ${link} THEN COALESCE(${users.emailVerifiedAt}, ${NOW}) ELSE ${NOW} END`,
      })
      .where(and(eq(users.id, userId), sql`${link} IS NOT NULL`)),
    others: db.delete(addressLinks).where(and(isChangeOfAddress(userId), sql`${link} IS NOT NULL`)),
  });
  if (before === undefined || good === undefined) return undefined;
  return { replaced: before.email === good.email ? null : before.email };
}
