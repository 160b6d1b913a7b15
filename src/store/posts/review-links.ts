// Links by which a person without an account decides on a post, stored by the hash of their token.
import { and, eq, gt, lt } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import { recordAccountAct } from "../audit.ts";
import { type Database, NOW } from "../db/db.ts";
import { reviewLinks } from "../db/schema.ts";

export type ReviewLinkRow = typeof reviewLinks.$inferSelect;

const isOfPost = (workspaceId: string, postId: string) =>
  and(eq(reviewLinks.workspaceId, workspaceId), eq(reviewLinks.postId, postId));

/** Stores a link, replacing the post's earlier one, and deletes expired links. */
export async function storeReviewLink(db: Database, row: ReviewLinkRow, entry: AuditEntry): Promise<void> {
  await db.batch([
    db.delete(reviewLinks).where(lt(reviewLinks.expiresAt, NOW)),
    db.delete(reviewLinks).where(isOfPost(row.workspaceId, row.postId)),
    db.insert(reviewLinks).values(row),
    recordAccountAct(db, entry),
  ]);
}

/** A valid link; undefined: it has expired, was ended or replaced, or never existed. */
export async function findReviewLink(db: Database, tokenHash: string): Promise<ReviewLinkRow | undefined> {
  const [row] = await db
    .select()
    .from(reviewLinks)
    .where(and(eq(reviewLinks.tokenHash, tokenHash), gt(reviewLinks.expiresAt, NOW)));
  return row;
}

/** Ends the link of a post, if it has one. */
export async function deleteReviewLink(db: Database, postId: string, entry: AuditEntry): Promise<void> {
  await db.batch([db.delete(reviewLinks).where(isOfPost(entry.workspaceId, postId)), recordAccountAct(db, entry)]);
}

/** Ends this link; a link that has replaced it stays. */
export async function endReviewLink(db: Database, tokenHash: string): Promise<void> {
  await db.delete(reviewLinks).where(eq(reviewLinks.tokenHash, tokenHash));
}
