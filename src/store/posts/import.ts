// Many posts at once: what they are judged with in one read, and a part of them in one transaction.
import { and, asc, eq, gte, isNull, lt, sql } from "drizzle-orm";
import { type BatchPart, batchPart } from "../db/batch.ts";
import { type Database, type In, insertFrom } from "../db/db.ts";
import { channels, idempotencyKeys, media, usageMonths, workspaces } from "../db/schema.ts";
import { type MediaRow, mediaByIds } from "../media/media.ts";
import { type MadePost, type NewPost, newPost } from "./new-post.ts";
import { type PostWithDeliveries, selectPosts, withDeliveries } from "./posts.ts";

export interface FoundForImport {
  workspace: typeof workspaces.$inferSelect | undefined;
  channels: (typeof channels.$inferSelect)[];
  media: MediaRow[];
  postsUsed: number;
  keys: (typeof idempotencyKeys.$inferSelect)[];
}

/** All channels, the files of `ids`, the month's use, and the keys that begin with `keyPrefix` (null: none). */
export function readForImport(
  db: Database,
  workspaceId: In<string>,
  { ids, month, keyPrefix }: { ids: string[]; month: string; keyPrefix: string | null },
): BatchPart<FoundForImport> {
  const statements = {
    workspace: db.select().from(workspaces).where(eq(workspaces.id, workspaceId)),
    channels: db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), isNull(channels.removedAt)))
      .orderBy(asc(channels.id)),
    media: mediaByIds(db, workspaceId, ids),
    use: db
      .select({ posts: usageMonths.posts })
      .from(usageMonths)
      .where(and(eq(usageMonths.workspaceId, workspaceId), eq(usageMonths.month, month))),
    keys: keyPrefix === null ? [] : [selectKeys(db, workspaceId, keyPrefix)],
  };
  return batchPart(statements, ({ workspace: [workspace], use: [use], keys, ...rest }) => ({
    ...rest,
    workspace,
    postsUsed: use?.posts ?? 0,
    keys: keys.flat(),
  }));
}

const selectKeys = (db: Database, workspaceId: In<string>, prefix: string) =>
  db
    .select()
    .from(idempotencyKeys)
    .where(
      and(
        eq(idempotencyKeys.workspaceId, workspaceId),
        gte(idempotencyKeys.key, prefix),
        lt(idempotencyKeys.key, `${prefix}~`),
      ),
    );

/** Posts of the keys that begin with `prefix`, by key. */
export async function postsOfKeys(
  db: Database,
  workspaceId: string,
  prefix: string,
): Promise<Map<string, PostWithDeliveries>> {
  const rows = await selectPosts(
    db,
    and(
      sql`posts.workspace_id = ${workspaceId}`,
      sql`posts.id IN (SELECT post_id FROM idempotency_keys WHERE workspace_id = ${workspaceId}
        AND key >= ${prefix} AND key < ${`${prefix}~`})`,
    ),
  );
  return new Map(rows.map((row) => [row.idempotencyKey ?? "", withDeliveries(row)]));
}

/** A post that is written, with the files that begin with it. */
export interface ImportedPost {
  post: NewPost;
  files: MediaRow[];
}

/** The statements that write posts, each by itself: undefined is one that there is no room for, or whose file has gone. */
export function writeImported(db: Database, [first, ...rest]: [ImportedPost, ...ImportedPost[]]) {
  const parts = [first, ...rest].map(({ post, files }) => partOf(db, post, files));
  const statements = parts.flatMap((part) => part.statements);
  const all: BatchPart<(MadePost | undefined)[]> = {
    statements: [statements[0] ?? partOf(db, first.post, first.files).statements[0], ...statements.slice(1)],
    resultOf(answers) {
      let place = 0;
      return parts.map((part) => {
        const begin = place;
        place += part.statements.length;
        return part.resultOf(answers.slice(begin, place));
      });
    },
  };
  return all;
}

function partOf(db: Database, post: NewPost, files: MediaRow[]): BatchPart<MadePost | undefined> {
  const part = newPost(db, post);
  const written = files.map((file) => insertFrom(db, media, file, sql`WHERE TRUE`).onConflictDoNothing());
  const [first, ...rest] = [...written, ...part.statements];
  return {
    statements: first === undefined ? part.statements : [first, ...rest],
    resultOf: (answers) => part.resultOf(answers.slice(files.length)),
  };
}
