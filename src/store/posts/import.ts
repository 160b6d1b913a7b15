// Reads the data that is needed to check many posts, in one read.
import { and, asc, eq, gte, isNull, lt, sql } from "drizzle-orm";
import { type Statements, toStatements } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { channels, idempotencyKeys, workspaces } from "../db/schema.ts";
import { type MediaRow, mediaByIds } from "../media/media.ts";
import { type PostWithDeliveries, selectPosts, withDeliveries } from "./posts.ts";
import { type Spent, selectUse } from "./spending.ts";

export interface FoundForImport {
  workspace: typeof workspaces.$inferSelect | undefined;
  channels: (typeof channels.$inferSelect)[];
  media: MediaRow[];
  postsUsed: number;
  /** The spending of the month. */
  spent: Spent;
  keys: (typeof idempotencyKeys.$inferSelect)[];
}

/** All channels, the files of `ids`, the month's usage, and the keys that begin with `keyPrefix` (null: no keys). */
export function readForImport(
  db: Database,
  workspaceId: In<string>,
  { ids, month, keyPrefix }: { ids: string[]; month: string; keyPrefix: string | null },
): Statements<FoundForImport> {
  const statements = {
    workspace: db.select().from(workspaces).where(eq(workspaces.id, workspaceId)),
    channels: db
      .select()
      .from(channels)
      .where(and(eq(channels.workspaceId, workspaceId), isNull(channels.removedAt)))
      .orderBy(asc(channels.id)),
    media: mediaByIds(db, workspaceId, ids),
    use: selectUse(db, workspaceId, month),
    keys: keyPrefix === null ? [] : [selectKeys(db, workspaceId, keyPrefix)],
  };
  return toStatements(statements, ({ workspace: [workspace], use: [use], keys, ...otherResults }) => ({
    ...otherResults,
    workspace,
    postsUsed: use?.posts ?? 0,
    spent: use?.spent ?? {},
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

/** Maps the idempotency keys that begin with `prefix` to their posts. */
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
