// A new post: written with its deliveries, its count and its key in one transaction.
import { and, eq, type SQL, sql } from "drizzle-orm";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom } from "../db/db.ts";
import { deliveries, idempotencyKeys, posts, usageMonths } from "../db/schema.ts";
import { type Inspection, noteInspections } from "../media/media.ts";
import { countDrafts, type DraftGrowth, type DraftRoom, draftsFit } from "./drafts.ts";
import { canTakeFiles, takeFiles } from "./media-uses.ts";
import { isPost, type PostWithDeliveries, selectPost, withDeliveries } from "./posts.ts";

export interface NewPost {
  post: typeof posts.$inferInsert & { workspaceId: string; id: string };
  deliveries: { id: string; channelId: string; platform: string }[];
  /** Every file that any channel publishes. */
  mediaUsed: string[];
  key: { key: string; fingerprint: string } | null;
  /** What was learnt of its files; stored with it. */
  inspections: Inspection[];
  /** Posts that the month may hold; null = no limit. */
  postsMax: number | null;
  /** What it adds to the workspace's drafts, and what they may be. */
  draft: { growth: DraftGrowth; room: DraftRoom };
}

/**
 * Writes a post, its deliveries, its count and its key in one transaction. Returns what was written: undefined at the
 * limit of the month or of drafts, or when a file of it has gone. Fails on `idempotency_keys.workspace_id` when the key was used meanwhile.
 */
export async function insertPost(
  db: Database,
  { post, deliveries: rows, mediaUsed, key, inspections, postsMax, draft }: NewPost,
): Promise<PostWithDeliveries | undefined> {
  const { workspaceId, id, createdAt, countedMonth = null } = post;
  const exists = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)})`;
  const statements = {
    post: insertFrom(
      db,
      posts,
      { ...post, draftBytes: draft.growth.bytes, idempotencyKey: key?.key ?? null },
      sql`WHERE (${countedMonth} IS NULL OR ${postsMax} IS NULL
        OR COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths} WHERE ${usageMonths.workspaceId} = ${workspaceId}
          AND ${usageMonths.month} = ${countedMonth}), 0) < ${postsMax})
        AND ${draftsFit(workspaceId, draft.growth, draft.room)}
        AND ${canTakeFiles(workspaceId, mediaUsed, inspections)}`,
    ),
    deliveries: insertDeliveries(
      db,
      { workspaceId, id, revision: 1, dueAt: post.dueAt ?? null },
      rows,
      mediaUsed,
      exists,
    ),
    drafts: countDrafts(db, workspaceId, draft.growth, exists),
    month: countedMonth === null ? [] : [countPost(db, workspaceId, countedMonth, exists)],
    key:
      key === null
        ? []
        : [insertFrom(db, idempotencyKeys, { workspaceId, ...key, postId: id, createdAt }, sql`WHERE ${exists}`)],
  };
  const { written } = await batch(db, {
    ...statements,
    written: selectPost(db, workspaceId, id),
    inspections: noteInspections(db, workspaceId, inspections),
  });
  return written.map(withDeliveries)[0];
}

/** The statement that counts one more post in a month, if `condition` holds. */
export function countPost(db: Database, workspaceId: string, month: string, condition: SQL) {
  return insertFrom(db, usageMonths, { workspaceId, month, posts: 1 }, sql`WHERE ${condition}`).onConflictDoUpdate({
    target: [usageMonths.workspaceId, usageMonths.month],
    set: { posts: sql`${usageMonths.posts} + 1` },
  });
}

/** The statements that give a post its deliveries and say which files it uses, if `condition` holds. */
export function insertDeliveries(
  db: Database,
  post: { workspaceId: string; id: string; revision: number; dueAt: number | null },
  rows: NewPost["deliveries"],
  mediaUsed: string[],
  condition: SQL,
) {
  const { workspaceId, id: postId, dueAt } = post;
  const field = (name: string) => sql`value ->> ${name}`;
  return [
    insertFrom(
      db,
      deliveries,
      {
        workspaceId,
        postId,
        channelId: field("channelId"),
        id: field("id"),
        platform: field("platform"),
        position: sql`key`,
        state: "pending",
        // A session that has read what stood here before an edit finds another version.
        version: post.revision,
        scheduledFor: dueAt,
        nextAt: dueAt,
      },
      sql`FROM json_each(${JSON.stringify(rows)}) WHERE ${condition}`,
    ),
    ...takeFiles(db, workspaceId, postId, mediaUsed, condition),
  ] as const;
}

/** An earlier use of an idempotency key. */
export async function findKeyUse(db: Database, workspaceId: string, key: string) {
  const [row] = await db
    .select()
    .from(idempotencyKeys)
    .where(and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, key)));
  return row;
}
