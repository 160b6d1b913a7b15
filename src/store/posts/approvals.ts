// Posts that wait for approval, and the events about them. Every decision is one conditional statement that names the
// status and revision that were decided on.
import { and, eq, type SQL, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { EventRecord } from "../../domain/event-body.ts";
import type { Approval, Decided } from "../../domain/posts/approval.ts";
import { columnsWhere } from "../../domain/posts/post-fields.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { type Statements, toStatements } from "../db/batch.ts";
import { asJson } from "../db/columns.ts";
import { type Database, type In, NOW } from "../db/db.ts";
import { events, posts } from "../db/schema.ts";
import { insertEvents, isIndexed } from "../events.ts";
import { endpointsToNotify, fanOut } from "../webhooks/messages.ts";
import { isPost, type PostWithDeliveries, selectPost, withDeliveries } from "./posts.ts";

/** An event about a post at a revision. */
export interface PostNews {
  event: EventRecord;
  rev: number;
}

/**
 * The statements that write an event and its messages to the subscribed endpoints, if `condition` holds. There are none if
 * `news` is null.
 */
export function tellOfPost(
  db: Database,
  post: { workspaceId: string; id: string },
  news: PostNews | null,
  condition: SQL,
) {
  if (news === null) return { news: [], messages: [] };
  const { workspaceId, id: postId } = post;
  const { event, rev: dedupeKey } = news;
  return {
    news: [
      insertEvents(
        db,
        { workspaceId, ...event, postId, channelId: "", dedupeKey },
        sql`FROM ${posts} WHERE ${isPost(workspaceId, postId)} AND ${condition}`,
      ),
    ],
    messages: [
      fanOut(
        db,
        sql`${events}`,
        sql`${isIndexed} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${postId}
          AND ${events.channelId} = '' AND ${events.dedupeKey} = ${dedupeKey} AND ${events.event} = ${event.event}
          AND ${events.id} = ${event.id}`,
      ),
    ],
  };
}

/** The endpoints to notify, from the results of the statements of `tellOfPost`. */
export const notifiedBy = (messages: readonly { webhookId: string; state: string }[][]): string[] =>
  messages.flatMap((rows) => endpointsToNotify(rows));

/** The alt texts of the files that a post uses. */
const altsOfPost = sql`(SELECT json_group_object(m.id, m.alt) FROM media_uses u JOIN media m ON m.workspace_id = u.workspace_id
    AND m.id = u.media_id WHERE u.workspace_id = ${posts.workspaceId} AND u.post_id = ${posts.id})`;

/** The stored form of a decision: the decision itself, with the content that it covers. */
export const decidedOn = (approval: Approval) =>
  sql`json_set(${JSON.stringify(approval)}, ${sql.join(
    columnsWhere(({ isApproved }) => isApproved).map((column) => sql`${`$.${column}`}, ${asJson(posts[column])}`),
    sql`, `,
  )}, '$.publishAt', ${posts.publishAt}, '$.alts', json(${altsOfPost}))`;

/** The last decision on a post; null if there is none. */
export const readDecided = (db: Database, workspaceId: In<string>, id: string): Statements<Decided | null> =>
  toStatements(
    { rows: db.select({ decided: posts.decided }).from(posts).where(isPost(workspaceId, id)) },
    ({ rows }) => rows[0]?.decided ?? null,
  );

/**
 * The statements that turn a post that still waits at `approval.rev` back into a draft. The result is the post
 * afterwards, whether this call declined it, and the endpoints to notify.
 */
export function declinePost(
  db: Database,
  { workspaceId, id }: { workspaceId: string; id: string },
  approval: Approval,
  { event, entry }: { event: EventRecord; entry: AuditEntry },
): Statements<{ declined: boolean; after: PostWithDeliveries | undefined; notify: string[] }> {
  const isDeclined = sql`${posts.status} = 'draft' AND ${posts.approval} = ${JSON.stringify(approval)}`;
  const statements = {
    declined: db
      .update(posts)
      .set({ status: "draft", dueAt: null, approval, decided: decidedOn(approval), updatedAt: NOW })
      .where(and(isPost(workspaceId, id), eq(posts.status, "awaiting_approval"), eq(posts.revision, approval.rev)))
      .returning({ id: posts.id }),
    recorded: recordWorkspaceAct(db, entry),
    ...tellOfPost(db, { workspaceId, id }, { event, rev: approval.rev }, isDeclined),
    rows: selectPost(db, workspaceId, id),
  };
  return toStatements(statements, ({ declined, messages, rows }) => ({
    declined: declined.length === 1,
    after: rows.map(withDeliveries)[0],
    notify: notifiedBy(messages),
  }));
}
