// Writes a new post in one transaction, with its deliveries, its share of the month's usage and its idempotency key.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { Terms } from "../../domain/delivery/stored-facts.ts";
import type { PostTimes } from "../../domain/posts/own-time.ts";
import { ask, type Statements, toStatements } from "../db/batch.ts";
import { type Database, type In, insertFrom } from "../db/db.ts";
import { deliveries, idempotencyKeys, posts, usageMonths } from "../db/schema.ts";
import { type Inspection, noteInspections } from "../media/media.ts";
import { areFree, dueAtWithSlot, firstFree, type SlotWish } from "../slots.ts";
import { notifiedBy, type PostNews, tellOfPost } from "./approvals.ts";
import { countDrafts, type DraftGrowth, type DraftRoom, draftsFit } from "./drafts.ts";
import { canTakeFiles, takeFiles } from "./media-uses.ts";
import { isPost, type PostWithDeliveries, selectPost, withDeliveries } from "./posts.ts";
import { isToRepeat, markContinued } from "./repeats.ts";
import { newPostFits, type Spend } from "./spending.ts";

/** A delivery at the time its post is accepted. */
export interface NewDelivery {
  id: string;
  channelId: string;
  platform: string;
  /** The channel's own time in epoch milliseconds; null: the post's. */
  at: number | null;
  terms: Terms | null;
}

export interface NewPost {
  post: typeof posts.$inferInsert & { workspaceId: string; id: string };
  deliveries: NewDelivery[];
  /** Every file that any channel publishes. */
  mediaUsed: string[];
  key: { key: string; fingerprint: string } | null;
  /** The inspections of its files, which are stored in the same transaction. */
  inspections: Inspection[];
  /** How many posts the month may have; null if there is no limit. */
  postsMax: number | null;
  spend: Spend;
  /** The event that announces that the post waits for approval; null if it does not. */
  news: PostNews | null;
  /** How much the workspace's drafts grow, and their limits. */
  draft: { growth: DraftGrowth; room: DraftRoom };
  /** If set, the post takes the first free candidate as its time; null if it has its own time or none. */
  slot: SlotWish | null;
  /** The slots that single channels take. */
  ownSlots: SlotWish[];
  times: PostTimes;
  /** The ended post of a series that this post follows; null: it follows none. */
  follows: string | null;
}

/** A written post, and the endpoints to notify of it. */
export interface MadePost {
  written: PostWithDeliveries;
  notify: string[];
}

/** The time of a post that took a slot, for use in the batch that writes it. */
export const selectPublishAt = (workspaceId: string, id: string) =>
  sql`(SELECT ${posts.publishAt} FROM ${posts} WHERE ${isPost(workspaceId, id)})`;

/**
 * Writes a post in one transaction, with its deliveries, its share of the month's usage and its idempotency key. Returns
 * the written post, or undefined if the month's limit, a budget or the limit of drafts is reached, if one of its files is
 * gone, or if no slot is free. Fails on `idempotency_keys.workspace_id` if the key was used in the meantime.
 */
export const insertPost = (db: Database, post: NewPost) => ask(db, newPost(db, post));

/** The statements that write a post. */
function newPost(
  db: Database,
  {
    post,
    deliveries: rows,
    mediaUsed,
    key,
    inspections,
    postsMax,
    spend,
    news,
    draft,
    slot,
    ownSlots,
    times,
    follows,
  }: NewPost,
): Statements<MadePost | undefined> {
  const { workspaceId, id, createdAt, countedMonth = null } = post;
  const exists = sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${isPost(workspaceId, id)})`;
  const statements = {
    post: insertFrom(
      db,
      posts,
      {
        ...post,
        ...(slot === null
          ? {}
          : { publishAt: sql`at`, dueAt: post.status === "draft" ? null : dueAtWithSlot(sql`at`, times) }),
        draftBytes: draft.growth.bytes,
        ...countedWith(post, spend),
        idempotencyKey: key?.key ?? null,
      },
      sql`${slot === null ? sql`WHERE` : sql`FROM (SELECT ${firstFree(slot)} AS at) WHERE at IS NOT NULL AND`} (${countedMonth} IS NULL OR ${postsMax} IS NULL
        OR COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths} WHERE ${usageMonths.workspaceId} = ${workspaceId}
          AND ${usageMonths.month} = ${countedMonth}), 0) < ${postsMax})
        AND ${areFree(ownSlots)} AND ${follows === null ? sql`TRUE` : isToRepeat(workspaceId, follows)}
        AND ${newPostFits(workspaceId, countedMonth, spend)}
        AND ${draftsFit(workspaceId, draft.growth, draft.room)}
        AND ${canTakeFiles(workspaceId, mediaUsed, inspections)}`,
    ),
    deliveries: insertDeliveries(
      db,
      { workspaceId, id, revision: 1, base: slot === null ? times.base : selectPublishAt(workspaceId, id) },
      rows,
      mediaUsed,
      exists,
    ),
    continued: follows === null ? [] : [markContinued(db, workspaceId, follows, exists)],
    drafts: countDrafts(db, workspaceId, draft.growth, exists),
    month: countedMonth === null ? [] : [countPost(db, workspaceId, countedMonth, exists)],
    key:
      key === null
        ? []
        : [insertFrom(db, idempotencyKeys, { workspaceId, ...key, postId: id, createdAt }, sql`WHERE ${exists}`)],
  };
  return toStatements(
    {
      ...statements,
      ...tellOfPost(db, { workspaceId, id }, news, sql`TRUE`),
      written: selectPost(db, workspaceId, id),
      inspections: noteInspections(db, workspaceId, inspections),
    },
    ({ written, messages }) => {
      const [row] = written.map(withDeliveries);
      return row && { written: row, notify: notifiedBy(messages) };
    },
  );
}

/** The cost columns of a new post: empty, unless it is counted in a month. */
export const countedWith = ({ countedMonth }: NewPost["post"], { cost, keyId }: Spend) =>
  countedMonth == null ? {} : { countedCost: cost, countedKey: keyId };

/** The statement that counts one more post in a month, if `condition` holds. */
export function countPost(db: Database, workspaceId: string, month: string, condition: SQL) {
  return insertFrom(db, usageMonths, { workspaceId, month, posts: 1 }, sql`WHERE ${condition}`).onConflictDoUpdate({
    target: [usageMonths.workspaceId, usageMonths.month],
    set: { posts: sql`${usageMonths.posts} + 1` },
  });
}

/** The statements that insert a post's deliveries and its uses of files, if `condition` holds. */
export function insertDeliveries(
  db: Database,
  post: { workspaceId: string; id: string; revision: number; base: In<number | null> },
  rows: NewPost["deliveries"],
  mediaUsed: string[],
  condition: SQL,
) {
  const { workspaceId, id: postId, base } = post;
  const field = (name: string) => sql`value ->> ${name}`;
  const dueAt = sql`COALESCE(${field("at")}, ${base})`;
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
        state: "pending",
        // The version starts at the post's revision, so a reader from before an edit sees that the version has changed.
        version: post.revision,
        scheduledFor: dueAt,
        nextAt: dueAt,
        terms: field("terms"),
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
