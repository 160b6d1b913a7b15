// Edits a post that has not started: schedules it, turns it back into a draft, moves it to another time, or changes it.
import { and, eq, isNull, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { PostTimes } from "../../domain/posts/own-time.ts";
import type { PostContent } from "../../domain/posts/post-fields.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { type Statements, toStatements } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, posts, usageMonths } from "../db/schema.ts";
import { type Inspection, noteInspections } from "../media/media.ts";
import { areFree, dueAtWithSlot, firstFree, type SlotWish } from "../slots.ts";
import { decidedOn, notifiedBy, type PostNews, tellOfPost } from "./approvals.ts";
import { countDrafts, type DraftGrowth, type DraftRoom, draftsFit } from "./drafts.ts";
import { canTakeFiles, dropFiles } from "./media-uses.ts";
import { countPost, insertDeliveries, type NewPost, selectPublishAt } from "./new-post.ts";
import { isPost } from "./posts.ts";
import { isNotStopped } from "./repeats.ts";
import { editedPostFits, type Spend } from "./spending.ts";

export interface PostEdit {
  workspaceId: string;
  id: string;
  /** The revision and status that the edit is based on. */
  revision: number;
  from: "draft" | "awaiting_approval" | "scheduled";
  /** The new revision. A decision keeps the revision. */
  next: number;
  /** A unique mark of this edit. Later statements of the batch look for this mark to see whether the edit was written. */
  tag: string;
  fields: Pick<
    typeof posts.$inferInsert,
    | keyof PostContent
    | "words"
    | "publishAt"
    | "dueAt"
    | "timezone"
    | "draftBytes"
    | "approval"
    | "author"
    | "authorUserId"
    | "contentTag"
    | "sentFiles"
    | "repeatState"
    | "series"
    | "lostPosts"
  > & { status: "draft" | "awaiting_approval" | "scheduled" };
  /** The event that the post awaits approval, or that its approval was decided; null: no event. */
  news: PostNews | null;
  deliveries: NewPost["deliveries"];
  mediaUsed: string[];
  /** The inspections of the post's files. They are stored even if the edit is not stored. */
  inspections: Inspection[];
  /** The month to count the post in; null for a draft. A post that is already counted stays in its month. */
  month: string | null;
  postsMax: number | null;
  spend: Spend;
  /** The change of the workspace's drafts, and their limits. */
  draft: { growth: DraftGrowth; room: DraftRoom };
  /** The audit entry; null: the edit is not a decision. */
  entry: AuditEntry | null;
  /** The slots from which the post takes the first free time; null: `fields` has the post's time. */
  slot: SlotWish | null;
  /** The slots that single channels take. */
  ownSlots: SlotWish[];
  times: PostTimes;
}

/**
 * The statements that write an edit, if the post is still at its revision, none of its deliveries has started, its files
 * exist, the limits have room and a slot is free. Fields, deliveries, files and counts change together, or not at all. The
 * result says whether they changed, and which endpoints to notify.
 */
export function editPost(db: Database, edit: PostEdit): Statements<{ edited: boolean; notify: string[] }> {
  const { workspaceId, id, revision, tag, fields, month, slot } = edit;
  const free = slot === null ? null : firstFree(slot);
  const time =
    free === null ? {} : { publishAt: free, dueAt: fields.status === "draft" ? null : dueAtWithSlot(free, edit.times) };
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
      .set({ ...fields, ...time, revision: edit.next, editedBy: tag, updatedAt: NOW })
      .where(
        and(
          isPost(workspaceId, id),
          eq(posts.revision, revision),
          eq(posts.status, edit.from),
          isNull(posts.cancelledAt),
          fits,
          editedPostFits(workspaceId, month, edit.spend),
          free === null ? undefined : sql`${free} IS NOT NULL`,
          areFree(edit.ownSlots),
          // An edit that keeps the repeat leaves its state alone, so it cannot start a stopped series again.
          fields.repeatState === undefined ? undefined : isNotStopped,
          draftsFit(workspaceId, edit.draft.growth, edit.draft.room),
          canTakeFiles(workspaceId, edit.mediaUsed, edit.inspections),
          sql`NOT EXISTS (SELECT 1 FROM ${deliveries} WHERE ${ofPost}
            AND (${deliveries.state} <> 'pending' OR ${deliveries.startedAt} IS NOT NULL))`,
        ),
      )
      .returning({ id: posts.id }),
    recorded: edit.entry === null ? [] : [recordWorkspaceAct(db, edit.entry)],
    replaced: db.delete(deliveries).where(and(ofPost, edited)),
    dropped: dropFiles(db, workspaceId, id, edited),
    deliveries: insertDeliveries(
      db,
      {
        workspaceId,
        id,
        revision: edit.next,
        base: free === null ? edit.times.base : selectPublishAt(workspaceId, id),
      },
      edit.deliveries,
      edit.mediaUsed,
      edited,
    ),
    drafts: countDrafts(db, workspaceId, edit.draft.growth, edited),
    // A post is counted once, in the month when it is scheduled. If it becomes a draft again, that month's count goes down.
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
      .set({
        countedMonth: month === null ? null : sql`COALESCE(${posts.countedMonth}, ${month})`,
        countedCost: month === null ? 0 : edit.spend.cost,
        // If a person changes a post that a key scheduled, its cost still counts for the key.
        ...(month === null ? { countedKey: null } : edit.spend.keyId === null ? {} : { countedKey: edit.spend.keyId }),
        ...(fields.approval?.state === "approved" ? { decided: decidedOn(fields.approval) } : {}),
      })
      .where(and(isPost(workspaceId, id), edited)),
    inspections: noteInspections(db, workspaceId, edit.inspections),
    ...tellOfPost(db, { workspaceId, id }, edit.news, edited),
  };
  return toStatements(statements, ({ edited, messages }) => ({
    edited: edited.length === 1,
    notify: notifiedBy(messages),
  }));
}
