// Editing a post that has not started: releasing, pulling back, moving, changing.
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import { type BatchPart, batchPart } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, posts, usageMonths } from "../db/schema.ts";
import { type Inspection, noteInspections } from "../media/media.ts";
import { countDrafts, type DraftGrowth, type DraftRoom, draftsFit } from "./drafts.ts";
import { canTakeFiles, dropFiles } from "./media-uses.ts";
import { countPost, insertDeliveries, type NewPost } from "./new-post.ts";
import { isPost } from "./posts.ts";

export interface PostEdit {
  workspaceId: string;
  id: string;
  /** The revision that the edit was made from. */
  revision: number;
  /** A mark that no other edit has. */
  tag: string;
  fields: Pick<
    typeof posts.$inferInsert,
    | "text"
    | "media"
    | "channels"
    | "overrides"
    | "postType"
    | "labels"
    | "words"
    | "metadata"
    | "publishAt"
    | "dueAt"
    | "timezone"
    | "draftBytes"
  > & { status: "draft" | "scheduled" };
  deliveries: NewPost["deliveries"];
  mediaUsed: string[];
  /** What was learnt of its files; stored in any case. */
  inspections: Inspection[];
  /** The month to count the post in; null for a draft. A post that is counted already stays where it is. */
  month: string | null;
  postsMax: number | null;
  /** What it adds to the workspace's drafts or takes from them, and what they may be. */
  draft: { growth: DraftGrowth; room: DraftRoom };
}

/**
 * The statements that write an edit, if the post is still at its revision, nothing of it has started and its files are there: fields, deliveries, files and count
 * change together, or not at all. The result is whether they did.
 */
export function editPost(db: Database, edit: PostEdit): BatchPart<boolean> {
  const { workspaceId, id, revision, tag, fields, month } = edit;
  const rowOfPost = sql`SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)}`;
  const edited = sql`EXISTS (${rowOfPost} AND ${posts.editedBy} = ${tag})`;
  const countedBefore = sql`(SELECT ${posts.countedMonth} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;
  const ofPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, id));
  const fits = sql`(${month} IS NULL OR ${posts.countedMonth} IS NOT NULL OR ${edit.postsMax} IS NULL
    OR COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths} WHERE ${usageMonths.workspaceId} = ${workspaceId}
      AND ${usageMonths.month} = ${month}), 0) < ${edit.postsMax})`;
  const statements = {
    edited: db
      .update(posts)
      .set({ ...fields, revision: revision + 1, editedBy: tag, updatedAt: NOW })
      .where(
        and(
          isPost(workspaceId, id),
          eq(posts.revision, revision),
          inArray(posts.status, ["draft", "scheduled"]),
          isNull(posts.cancelledAt),
          fits,
          draftsFit(workspaceId, edit.draft.growth, edit.draft.room),
          canTakeFiles(workspaceId, edit.mediaUsed, edit.inspections),
          sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${ofPost}
            AND (${deliveries.state} <> 'pending' OR ${deliveries.startedAt} IS NOT NULL))`,
        ),
      )
      .returning({ id: posts.id }),
    replaced: db.delete(deliveries).where(and(ofPost, edited)),
    dropped: dropFiles(db, workspaceId, id, edited),
    deliveries: insertDeliveries(
      db,
      { workspaceId, id, revision: revision + 1, dueAt: fields.dueAt ?? null },
      edit.deliveries,
      edit.mediaUsed,
      edited,
    ),
    drafts: countDrafts(db, workspaceId, edit.draft.growth, edited),
    // Counting: a release counts once, a pull-back gives back to the month that holds the post.
    givenBack: db
      .update(usageMonths)
      .set({ posts: sql`${usageMonths.posts} - 1` })
      .where(
        and(
          eq(usageMonths.workspaceId, workspaceId),
          sql`${usageMonths.month} = ${countedBefore}`,
          sql`${month} IS NULL`,
          edited,
        ),
      ),
    counted: month === null ? [] : [countPost(db, workspaceId, month, sql`${countedBefore} IS NULL AND ${edited}`)],
    month: db
      .update(posts)
      .set({ countedMonth: month === null ? null : sql`COALESCE(${posts.countedMonth}, ${month})` })
      .where(and(isPost(workspaceId, id), edited)),
    inspections: noteInspections(db, workspaceId, edit.inspections),
  };
  return batchPart(statements, ({ edited }) => edited.length === 1);
}
