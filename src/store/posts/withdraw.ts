// Withdraws the posts of a workspace that changes hands: nothing that was planned before goes out afterwards.
import { and, eq, isNotNull, lte, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { columnsWhere } from "../../domain/posts/post-fields.ts";
import { asJson } from "../db/columns.ts";
import { type Database, NOW } from "../db/db.ts";
import { deliveries, notices, posts, usageMonths, workspaces } from "../db/schema.ts";
import { mayBeStopped, stopped } from "../deliveries/stop-unsent.ts";
import { followPosts } from "./media-uses.ts";
import { stopsWithPost } from "./repeats.ts";
import { refreshPosts } from "./status.ts";

/**
 * The posts to withdraw: those of these workspaces (a select in parentheses), while `condition` holds, that were last
 * written at or before `until`.
 */
export interface Withdrawal {
  workspaces: SQL;
  condition: SQL;
  /** Epoch milliseconds. */
  until: SQL | number;
}

const ofSamePost = sql`${deliveries.workspaceId} = ${posts.workspaceId} AND ${deliveries.postId} = ${posts.id}`;
/** True of a post whose sending has begun. */
const isBegun = sql`EXISTS (SELECT 1 FROM ${deliveries} WHERE ${ofSamePost}
  AND (${deliveries.state} <> 'pending' OR ${deliveries.startedAt} IS NOT NULL))`;

/** The approximate bytes of a draft, as `draftBytes` counts them. */
const bytes = sql.join(
  [
    sql`LENGTH(CAST(json_array(${sql.join(
      columnsWhere(({ counts }) => counts === "always").map((column) => asJson(posts[column])),
      sql`, `,
    )}) AS BLOB))`,
    ...columnsWhere(({ counts }) => counts === "unless empty").map(
      (column) => sql`IIF(COALESCE(${posts[column]}, '[]') = '[]', 0, LENGTH(CAST(${posts[column]} AS BLOB)) + 1)`,
    ),
  ],
  sql` + `,
);

/**
 * The statements that turn unfinished posts into drafts, as if each had been pulled back. For a post whose sending has
 * begun, the deliveries that can still be stopped are cancelled. Pending approval requests end.
 */
export function withdrawPosts(db: Database, { workspaces: among, condition, until }: Withdrawal) {
  const isAmong = (workspaceId: SQLiteColumn) => sql`${workspaceId} IN ${among} AND ${condition}`;
  const isPlanned = sql`${isAmong(posts.workspaceId)} AND ${posts.updatedAt} <= ${until}
    AND ${posts.status} = 'scheduled' AND ${posts.cancelledAt} IS NULL`;
  const isUnbegun = sql`${isPlanned} AND NOT ${isBegun}`;
  const ofWorkspace = sql`FROM ${posts} WHERE ${posts.workspaceId} = ${workspaces.id} AND ${isUnbegun}`;
  const inMonth = sql`(SELECT COUNT(*) FROM ${posts} WHERE ${posts.workspaceId} = ${usageMonths.workspaceId}
    AND ${posts.countedMonth} = ${usageMonths.month} AND ${isUnbegun})`;
  const cancelled = sql`SELECT ${posts.workspaceId}, ${posts.id} FROM ${posts}
    WHERE ${isAmong(posts.workspaceId)} AND ${posts.status} = 'scheduled' AND ${posts.cancelledAt} IS NOT NULL`;
  return {
    withdrawnCounts: [
      db
        .update(usageMonths)
        .set({ posts: sql`${usageMonths.posts} - ${inMonth}` })
        .where(and(isAmong(usageMonths.workspaceId), sql`${inMonth} > 0`)),
      db
        .update(workspaces)
        .set({
          drafts: sql`${workspaces.drafts} + (SELECT COUNT(*) ${ofWorkspace})`,
          draftBytes: sql`${workspaces.draftBytes} + (SELECT TOTAL(${bytes}) ${ofWorkspace})`,
        })
        .where(and(isAmong(workspaces.id), sql`EXISTS (SELECT 1 ${ofWorkspace})`)),
    ],
    withdrawnPosts: [
      db.delete(deliveries).where(sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${ofSamePost} AND ${isUnbegun})`),
      db
        .update(posts)
        .set({
          ...withdrawn,
          draftBytes: sql`CAST(${bytes} AS INTEGER)`,
        })
        .where(isUnbegun),
      db
        .update(posts)
        .set(withdrawn)
        .where(and(isAmong(posts.workspaceId), lte(posts.updatedAt, until), eq(posts.status, "awaiting_approval"))),
    ],
    withdrawnDeliveries: [
      db
        .update(deliveries)
        .set(stopped)
        .where(and(mayBeStopped, sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${ofSamePost} AND ${isPlanned})`)),
      db
        .update(posts)
        .set({ cancelledAt: NOW, ...stopsWithPost, revision: sql`${posts.revision} + 1`, updatedAt: NOW })
        .where(isPlanned),
      refreshPosts(db, cancelled),
      ...followPosts(db, cancelled),
    ],
    withdrawnRepeats: db
      .update(posts)
      .set(stopsWithPost)
      .where(and(isAmong(posts.workspaceId), sql`${posts.repeatState} = 'active'`, isNotNull(posts.finishedAt))),
    withdrawnNotices: db.delete(notices).where(and(isAmong(notices.workspaceId), lte(notices.createdAt, until))),
  };
}

/** The columns of a post that is a draft again. */
const withdrawn = {
  status: "draft",
  dueAt: null,
  countedMonth: null,
  countedCost: 0,
  countedKey: null,
  approval: null,
  editedBy: null,
  ...stopsWithPost,
  revision: sql`${posts.revision} + 1`,
  updatedAt: NOW,
} as const;
