// Cancels posts, and discards drafts.
import { and, eq, isNotNull, isNull, type SQL, sql } from "drizzle-orm";
import { IDEMPOTENCY_TOMBSTONE_MS } from "../../domain/limits.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, idempotencyKeys, posts, usageMonths, workspaces } from "../db/schema.ts";
import { mayBeStopped, stopped } from "../deliveries/stop-unsent.ts";
import { dropFiles } from "./media-uses.ts";
import { isPost, type PostWithDeliveries, selectPost, withDeliveries } from "./posts.ts";
import { stopsWithPost } from "./repeats.ts";
import { refreshPostStatus } from "./status.ts";

/** The idempotency key that a post was created with. */
const selectKey = (workspaceId: string, id: string) =>
  sql`(SELECT ${posts.idempotencyKey} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;

/** Marks a post whose count is being given back to its month. */
const GIVEN_BACK = "given back to ";

/** A condition that the post is still at `revision`; null accepts any revision. */
const isAt = (revision: number | null) => (revision === null ? undefined : eq(posts.revision, revision));

/** The status to cancel: only a post that waits for approval, or only a scheduled one. */
export type Cancellable = "scheduled" | "awaiting_approval";

/** A post after its cancellation. */
interface CancelledPost extends PostWithDeliveries {
  /** Whether this call cancelled it, at its revision, rather than an earlier call. */
  isNew: boolean;
  /**
   * Whether a delivery was stopped, or the whole post waited for approval. False if every delivery had already started, so that
   * nothing could be stopped.
   */
  isStopped: boolean;
}

/**
 * Cancels an unfinished post that has the status `from` and is at `revision`: its deliveries that have not started are
 * cancelled. If no delivery had started, the post no longer counts in its month, up to `givenBackMax` posts a month (null: no
 * limit). Finished posts and drafts are not changed. Returns the post in its new state.
 */
export async function cancelPost(
  db: Database,
  workspaceId: string,
  id: string,
  givenBackMax: number | null,
  { from = "scheduled", revision = null }: { from?: Cancellable; revision?: number | null } = {},
): Promise<CancelledPost | undefined> {
  const isOfPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id));
  const givenBack = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.status} = 'cancelled'
    AND (${givenBackMax} IS NULL OR (SELECT ${usageMonths.givenBack} FROM ${usageMonths}
      WHERE ${usageMonths.workspaceId} = ${workspaceId} AND ${usageMonths.month} = ${posts.countedMonth}) < ${givenBackMax})
    AND NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${isOfPost} AND ${deliveries.startedAt} IS NOT NULL))`;
  const isWaiting = and(isPost(workspaceId, id), eq(posts.status, "awaiting_approval"), isAt(revision));
  const {
    waited,
    cancelled,
    deliveries: stoppedNow,
    post,
  } = await batch(db, {
    ...(from === "scheduled"
      ? { counted: [], waited: [] }
      : {
          counted: [forgetDraft(db, workspaceId, isWaiting)],
          // A waiting post has no deliveries to derive its final status from.
          waited: [
            db
              .update(posts)
              .set({
                status: "cancelled",
                cancelledAt: NOW,
                finishedAt: NOW,
                draftBytes: 0,
                ...stopsWithPost,
                revision: sql`${posts.revision} + 1`,
                updatedAt: NOW,
              })
              .where(isWaiting)
              .returning({ id: posts.id }),
          ],
        }),
    cancelled: db
      .update(posts)
      .set({ cancelledAt: NOW, ...stopsWithPost, revision: sql`${posts.revision} + 1`, updatedAt: NOW })
      .where(
        and(
          isPost(workspaceId, id),
          eq(posts.status, "scheduled"),
          sql`${from} = 'scheduled'`,
          isNull(posts.cancelledAt),
          isAt(revision),
        ),
      )
      .returning({ id: posts.id }),
    deliveries: db
      .update(deliveries)
      .set(stopped)
      .where(
        and(
          isOfPost,
          mayBeStopped,
          sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)} AND ${posts.cancelledAt} IS NOT NULL)`,
        ),
      )
      .returning({ id: deliveries.id }),
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
      .set({ countedMonth: null, countedCost: 0, countedKey: null })
      .where(and(isPost(workspaceId, id), sql`${posts.countedMonth} LIKE ${`${GIVEN_BACK}%`}`)),
    post: selectPost(db, workspaceId, id),
  });
  const waitedNow = waited.flat().length;
  return post.map((row) => {
    const storedPost = withDeliveries(row);
    const wasStopped = storedPost.deliveries.some(({ state }) => state === "cancelled");
    const isStopped = stoppedNow.length + waitedNow > 0 || wasStopped || storedPost.post.status === "cancelled";
    return { ...storedPost, isNew: cancelled.length + waitedNow === 1, isStopped };
  })[0];
}

/**
 * The statement that stops counting the draft that `which` selects. A draft without bytes is not counted, because it was
 * written by a release that did not count drafts.
 */
const forgetDraft = (db: Database, workspaceId: string, which: SQL | undefined) =>
  db
    .update(workspaces)
    .set({
      drafts: sql`${workspaces.drafts} - 1`,
      draftBytes: sql`${workspaces.draftBytes} - (SELECT ${posts.draftBytes} FROM ${posts} WHERE ${which})`,
    })
    .where(
      and(
        eq(workspaces.id, workspaceId),
        sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${which} AND ${posts.draftBytes} > 0)`,
      ),
    );

/**
 * Deletes up to `limit` expired idempotency keys. A trigger (0001_schema.sql) sets the expiry of a
 * post's key when the post is cancelled, by any statement.
 */
export async function forgetExpiredKeys(db: Database, limit: number): Promise<void> {
  const expired = sql`(SELECT workspace_id, key FROM idempotency_keys WHERE expires_at <= ${NOW} LIMIT ${limit})`;
  await db.delete(idempotencyKeys).where(sql`(workspace_id, key) IN ${expired}`);
}

/** Deletes a draft at `revision`, but keeps its idempotency key as a tombstone. Returns whether the draft existed. */
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
        and(
          eq(idempotencyKeys.workspaceId, workspaceId),
          eq(idempotencyKeys.key, selectKey(workspaceId, id)),
          eq(idempotencyKeys.postId, id),
          wasDraft,
        ),
      ),
    files: dropFiles(db, workspaceId, id, wasDraft),
    drafts: forgetDraft(db, workspaceId, isDraft),
    rows: db.delete(posts).where(isDraft).returning({ id: posts.id }),
  });
  return rows.length === 1;
}
