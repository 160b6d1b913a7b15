// Cancelling a post, and discarding a draft.
import { and, eq, isNotNull, isNull, sql } from "drizzle-orm";
import { IDEMPOTENCY_TOMBSTONE_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, idempotencyKeys, posts, usageMonths, workspaces } from "../db/schema.ts";
import { mayMove } from "../deliveries/moves.ts";
import { dropFiles } from "./media-uses.ts";
import { isPost, type PostWithDeliveries, selectPost, withDeliveries } from "./posts.ts";
import { refreshPostStatus } from "./status.ts";

/** The idempotency key that a post was made with. */
const keyOf = (workspaceId: string, id: string) =>
  sql`(SELECT ${posts.idempotencyKey} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;

/** Marks a post whose count is given back, until its month has it. */
const GIVEN_BACK = "given back to ";

/** The revision that a change is made from; null: any. */
const isAt = (revision: number | null) => (revision === null ? undefined : eq(posts.revision, revision));

/** A post after its cancellation. */
interface CancelledPost extends PostWithDeliveries {
  /** Whether this call cancelled it: not one before, and it was at its revision. */
  isNew: boolean;
}

/**
 * Cancels what has not started of an unfinished post at `revision` and, if nothing had started, gives its count back to its
 * month, of which `givenBackMax` can be (null: all). Finished posts and drafts are left alone. Returns the post as it is then.
 */
export async function cancelPost(
  db: Database,
  workspaceId: string,
  id: string,
  givenBackMax: number | null,
  revision: number | null = null,
): Promise<CancelledPost | undefined> {
  const isOfPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id));
  const givenBack = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled'
    AND (${givenBackMax} IS NULL OR (SELECT ${usageMonths.givenBack} FROM ${usageMonths}
      WHERE ${usageMonths.workspaceId} = ${workspaceId} AND ${usageMonths.month} = ${posts.countedMonth}) < ${givenBackMax})
    AND NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isOfPost} AND ${deliveries.startedAt} IS NOT NULL))`;
  const { cancelled, post } = await batch(db, {
    cancelled: db
      .update(posts)
      .set({ cancelledAt: NOW, revision: sql`${posts.revision} + 1`, updatedAt: NOW })
      .where(and(isPost(workspaceId, id), eq(posts.status, "scheduled"), isNull(posts.cancelledAt), isAt(revision)))
      .returning({ id: posts.id }),
    deliveries: db
      .update(deliveries)
      // No session may take this version for its own.
      .set({ state: "cancelled", nextAt: null, version: sql`${deliveries.version} + 1`, session: null })
      .where(
        and(
          isOfPost,
          eq(deliveries.hasOpenSend, false),
          mayMove("cancelled"),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      ),
    status: refreshPostStatus(db, workspaceId, id),
    marked: db
      .update(posts)
      .set({ countedMonth: sql`${GIVEN_BACK} || ${posts.countedMonth}` })
      .where(and(isPost(workspaceId, id), isNotNull(posts.countedMonth), givenBack)),
    month: db
      .update(usageMonths)
      .set({ posts: sql`${usageMonths.posts} - 1`, givenBack: sql`${usageMonths.givenBack} + 1` })
      .where(
        and(
          eq(usageMonths.workspaceId, workspaceId),
          sql`${GIVEN_BACK} || ${usageMonths.month} = (SELECT ${posts.countedMonth} FROM ${posts} WHERE ${isPost(workspaceId, id)})`,
        ),
      ),
    count: db
      .update(posts)
      .set({ countedMonth: null })
      .where(and(isPost(workspaceId, id), sql`${posts.countedMonth} LIKE ${`${GIVEN_BACK}%`}`)),
    key: db
      .update(idempotencyKeys)
      .set({ expiresAt: sql`${NOW} + ${IDEMPOTENCY_TOMBSTONE_MS}` })
      .where(
        and(
          eq(idempotencyKeys.workspaceId, workspaceId),
          eq(idempotencyKeys.key, keyOf(workspaceId, id)),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled')`,
        ),
      ),
    post: selectPost(db, workspaceId, id),
  });
  return post.map((row) => ({ ...withDeliveries(row), isNew: cancelled.length === 1 }))[0];
}

/** Discards a draft at `revision`; its idempotency key stays as a tombstone. Returns whether there was one. */
export async function discardDraft(
  db: Database,
  workspaceId: string,
  id: string,
  revision: number | null = null,
): Promise<boolean> {
  const isDraft = and(isPost(workspaceId, id), eq(posts.status, "draft"), isAt(revision));
  const wasDraft = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isDraft})`;
  const { rows } = await batch(db, {
    key: db
      .update(idempotencyKeys)
      .set({ expiresAt: sql`${NOW} + ${IDEMPOTENCY_TOMBSTONE_MS}` })
      .where(
        and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, keyOf(workspaceId, id)), wasDraft),
      ),
    files: dropFiles(db, workspaceId, id, wasDraft),
    // One without bytes was written by a release that did not count them.
    drafts: db
      .update(workspaces)
      .set({
        drafts: sql`${workspaces.drafts} - 1`,
        draftBytes: sql`${workspaces.draftBytes} - (SELECT ${posts.draftBytes} FROM ${posts} WHERE ${isDraft})`,
      })
      .where(
        and(
          eq(workspaces.id, workspaceId),
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isDraft} AND ${posts.draftBytes} > 0)`,
        ),
      ),
    rows: db.delete(posts).where(isDraft).returning({ id: posts.id }),
  });
  return rows.length === 1;
}
