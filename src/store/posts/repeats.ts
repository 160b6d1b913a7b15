// The series of repeating posts. `repeat_state` says where a series stands: only one post of it is `active`, and the
// statement that makes the next post moves this mark on in the same transaction, so no post is followed twice. Stopping
// removes the mark, wherever it is.
import { and, eq, isNotNull, isNull, ne, or, type SQL, sql } from "drizzle-orm";
import type { Series } from "../../domain/posts/repeat.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { posts } from "../db/schema.ts";
import { notifiedBy, type PostNews, tellOfPost } from "./approvals.ts";
import { isPost } from "./posts.ts";

/** The columns of a post whose series ends with it, if it was going on; for posts that are cancelled or withdrawn. */
export const stopsWithPost = {
  repeatState: sql`CASE WHEN ${posts.repeatState} = 'active' THEN 'stopped' ELSE ${posts.repeatState} END`,
};

// The state is written into the SQL instead of bound as a parameter, because SQLite uses a partial index only then.
const isActive = sql`${posts.repeatState} = 'active'`;

/** Stops a series, by the id of its first post. Returns whether it was going on. */
export async function stopSeries(db: Database, workspaceId: string, first: string): Promise<boolean> {
  const [stopped] = await db.batch([
    db
      .update(posts)
      .set({ repeatState: "stopped", updatedAt: NOW })
      .where(
        and(eq(posts.workspaceId, workspaceId), isActive, sql`COALESCE(${posts.repeatOf}, ${posts.id}) = ${first}`),
      )
      .returning({ id: posts.id }),
  ]);
  return stopped.length > 0;
}

/** A place in the list of ended posts whose next post is to be made. */
export interface RepeatCursor {
  finishedAt: number;
  workspaceId: string;
  id: string;
}

/** Ended posts whose next post is to be made, after `after` (null: from the first), in all workspaces of a database. */
export async function findPostsToRepeat(
  db: Database,
  after: RepeatCursor | null,
  limit: number,
): Promise<RepeatCursor[]> {
  const { finishedAt, workspaceId, id } = after ?? { finishedAt: 0, workspaceId: "", id: "" };
  const rows = await db
    .select({ finishedAt: posts.finishedAt, workspaceId: posts.workspaceId, id: posts.id })
    .from(posts)
    .where(
      and(
        isActive,
        isNotNull(posts.finishedAt),
        sql`(${posts.finishedAt}, ${posts.workspaceId}, ${posts.id}) > (${finishedAt}, ${workspaceId}, ${id})`,
      ),
    )
    .orderBy(posts.finishedAt, posts.workspaceId, posts.id)
    .limit(limit);
  return rows.flatMap(({ finishedAt: ended, ...key }) => (ended === null ? [] : [{ ...key, finishedAt: ended }]));
}

/** True while the next post of an ended post is to be made. */
export const isToRepeat = (workspaceId: string, id: string): SQL => sql`EXISTS (SELECT 1 FROM ${posts}
  WHERE ${isPost(workspaceId, id)} AND ${isActive} AND ${posts.finishedAt} IS NOT NULL AND ${posts.cancelledAt} IS NULL)`;

/** The statement that marks a post as followed by the next one, if `condition` holds. */
export const markContinued = (db: Database, workspaceId: string, id: string, condition: SQL) =>
  db
    .update(posts)
    .set({ repeatState: "continued" })
    .where(and(isPost(workspaceId, id), isActive, condition));

/**
 * Ends the series of an ended post, after its last post or because no next one can be made. Returns the endpoints to notify
 * of `news`.
 */
export async function endSeries(
  db: Database,
  workspaceId: string,
  id: string,
  end: { state: "completed" | "stopped"; series: Series | null; news: PostNews | null },
): Promise<string[]> {
  const { messages } = await batch(db, {
    ...tellOfPost(db, { workspaceId, id }, end.news, isToRepeat(workspaceId, id)),
    ended: db
      .update(posts)
      .set({ repeatState: end.state, series: end.series, updatedAt: NOW })
      .where(and(isPost(workspaceId, id), isToRepeat(workspaceId, id))),
  });
  return notifiedBy(messages);
}

/** A condition for an edit that gives a post another repeat: nobody has stopped its series. */
export const isNotStopped = or(isNull(posts.repeatState), ne(posts.repeatState, "stopped"));
