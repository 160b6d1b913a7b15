// Reads the data that is needed to check a post before it is written.
import { and, eq, gte, isNull, ne, type SQL, sql } from "drizzle-orm";
import { earliestId } from "../../domain/ids.ts";
import type { Slot } from "../../domain/slots.ts";
import { type Statements, toStatements } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { channels, idempotencyKeys, media, posts, workspaces } from "../db/schema.ts";
import { selectSlots } from "../slots.ts";
import { type Spent, selectUse } from "./spending.ts";

/** The search for duplicates covers at most this many of the newest posts. */
const DUPLICATES_AMONG = 1_000;

export interface FoundForCheck {
  workspace: typeof workspaces.$inferSelect | undefined;
  channels: (typeof channels.$inferSelect)[];
  media: (typeof media.$inferSelect)[];
  /** The posts counted in the month. */
  postsUsed: number;
  /** The spending of the month in which the post is already counted, otherwise of the requested month. */
  spent: Spent;
  /** An earlier use of the idempotency key. */
  key: typeof idempotencyKeys.$inferSelect | undefined;
  /** Recent posts with the same text. */
  recent: Pick<typeof posts.$inferSelect, "id" | "media" | "channels" | "thread">[];
  /** The workspace's slots, if they were requested. */
  slots: Slot[];
}

/**
 * Reads the data that is needed to check a post: its workspace, channels and files, the month's usage, recent posts with
 * the same text, and an earlier use of its idempotency key.
 */
export function readForCheck(
  db: Database,
  workspaceId: In<string>,
  request: {
    channels: string[];
    media: string[];
    month: string;
    idempotencyKey: string | null;
    /** Searches for posts with this text that were created at `since` (epoch milliseconds) or later. */
    duplicatesOf: { text: string | null; since: number };
    /**
     * The id of an existing post that is being changed. Its channels and files are read too, the duplicate search skips
     * it, and searches for its text if `text` is null.
     */
    ofPost: string | null;
    /** Whether to read the workspace's slots, because the post takes the next free one. */
    slots: boolean;
  },
): Statements<FoundForCheck> {
  const ofPost = request.ofPost ?? "";
  const { text, since } = request.duplicatesOf;
  const isAmong = (column: typeof channels.id | typeof media.id, ids: string[], otherIds: SQL) =>
    sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(ids)}) UNION ALL ${otherIds})`;
  const channelsOfPost = sql`SELECT j.value FROM posts p JOIN json_each(p.channels) j
    WHERE p.workspace_id = ${workspaceId} AND p.id = ${ofPost}`;
  const filesOfPost = sql`SELECT u.media_id FROM media_uses u WHERE u.workspace_id = ${workspaceId} AND u.post_id = ${ofPost}`;
  const textOfPost = sql`(SELECT p.text FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id = ${ofPost})`;
  const monthOfPost = sql`COALESCE((SELECT p.counted_month FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id = ${ofPost}), ${request.month})`;
  const statements = {
    workspace: db.select().from(workspaces).where(eq(workspaces.id, workspaceId)),
    channels: db
      .select()
      .from(channels)
      .where(
        and(
          eq(channels.workspaceId, workspaceId),
          isAmong(channels.id, request.channels, channelsOfPost),
          isNull(channels.removedAt),
        ),
      ),
    media: db
      .select()
      .from(media)
      .where(and(eq(media.workspaceId, workspaceId), isAmong(media.id, request.media, filesOfPost))),
    use: selectUse(db, workspaceId, request.month, request.ofPost === null ? request.month : monthOfPost),
    key: db
      .select()
      .from(idempotencyKeys)
      .where(and(eq(idempotencyKeys.workspaceId, workspaceId), eq(idempotencyKeys.key, request.idempotencyKey ?? ""))),
    recent: db
      .select({ id: posts.id, media: posts.media, channels: posts.channels, thread: posts.thread })
      .from(posts)
      .where(
        and(
          eq(posts.workspaceId, workspaceId),
          // Ids begin with the time of creation, so older rows are not read.
          sql`${posts.id} IN (SELECT d.id FROM (SELECT p.id, p.text FROM posts p WHERE p.workspace_id = ${workspaceId}
            AND p.id >= ${earliestId("post", since)} AND p.status <> 'draft' ORDER BY p.id DESC LIMIT ${DUPLICATES_AMONG}) d
            WHERE d.text = ${text ?? textOfPost})`,
          gte(posts.createdAt, since),
          ne(posts.status, "cancelled"),
          ne(posts.id, ofPost),
        ),
      ),
    slots: request.slots ? [selectSlots(db, workspaceId)] : [],
  };
  return toStatements(statements, ({ workspace: [workspace], use: [use], key: [key], slots, ...otherResults }) => ({
    ...otherResults,
    slots: slots.flat()[0]?.slots ?? [],
    workspace,
    postsUsed: use?.posts ?? 0,
    spent: use?.spent ?? {},
    key,
  }));
}
