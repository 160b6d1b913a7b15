// Walks through a workspace's posts in order, each by a plain index: a select of the `id` and `due` of up to `count`
// posts that follow the position `after`. In the order `newest`, `due` is 0 and the position is the id alone.
import { type SQL, sql } from "drizzle-orm";
import { buildLastId } from "../../domain/ids.ts";
import { DAY_MS } from "../../domain/limits.ts";
import { type In, NOW } from "../db/db.ts";

/** The position after this post, in the order of due times. */
export interface DueCursor {
  due: number;
  id: string;
}
/** Epoch milliseconds, `to` exclusive. */
export interface DueRange {
  from: number;
  to: number;
}
export type Order = "newest" | "due";
interface Walk {
  workspaceId: In<string>;
  after: DueCursor | null;
  /** A walk by age only starts at the newest post that can be in the range. */
  range: DueRange;
  count: In<number>;
}
export type Walker = (walk: Walk) => SQL;

/** Later than every instant: the time of a post without one. Also used in the index `posts_by_status_due`. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** The range of all times, including that of a post without one. */
export const ALWAYS: DueRange = { from: 0, to: NEVER + 1 };

/** The due time of a post, or its planned time, as in the index `posts_by_status_due`. */
export const DUE_OR_PLANNED = sql.raw(`COALESCE(p.due_at, p.publish_at, ${NEVER})`);

function isLater(due: SQL, id: SQL, after: DueCursor | null): SQL {
  return after === null ? sql`TRUE` : sql`(${due}, ${id}) > (${after.due}, ${after.id})`;
}

function isOlder(id: SQL, after: DueCursor | null, { to }: DueRange): SQL {
  // No post is due before it is created, and an id begins with that time. A day is more than clocks differ.
  const last = buildLastId("post", Math.max(0, to + DAY_MS));
  return sql`${id} < ${after !== null && after.id < last ? after.id : last}`;
}

function selectByDue(rows: SQL, due: SQL, id: SQL, { after, range: { from, to }, count }: Walk): SQL {
  return sql`(SELECT ${id} AS id, ${due} AS due FROM ${rows} AND ${due} >= ${Math.max(from, after?.due ?? 0)} AND ${due} <= ${to - 1}
    AND ${isLater(due, id, after)} ORDER BY ${due}, ${id} LIMIT ${count})`;
}

function selectByAge(rows: SQL, id: SQL, { after, range, count }: Walk): SQL {
  return sql`(SELECT ${id} AS id, 0 AS due FROM ${rows} AND ${isOlder(id, after, range)} ORDER BY ${id} DESC LIMIT ${count})`;
}

const isOfWorkspace = ({ workspaceId }: Walk): SQL => sql`p.workspace_id = ${workspaceId}`;
const selectUnfinished = (walk: Walk): SQL =>
  sql`posts p INDEXED BY posts_by_time WHERE p.status = 'scheduled' AND p.due_at <= ${NOW} AND ${isOfWorkspace(walk)}`;

/** All posts except drafts. */
export const allPosts: Record<Order, Walker> = {
  newest: (walk) => selectByAge(sql`posts p WHERE ${isOfWorkspace(walk)} AND p.status <> 'draft'`, sql`p.id`, walk),
  due: (walk) =>
    selectByDue(
      sql`posts p INDEXED BY posts_by_due WHERE ${isOfWorkspace(walk)} AND p.due_at IS NOT NULL`,
      sql`p.due_at`,
      sql`p.id`,
      walk,
    ),
};

/** The posts except drafts with a channel, by its id, or with a label, by # and the label, by due time. */
export const walkTerm =
  (term: string): Walker =>
  (walk) =>
    selectByDue(
      sql`post_terms t WHERE t.workspace_id = ${walk.workspaceId} AND t.term = ${term}`,
      sql`t.due_at`,
      sql`t.post_id`,
      walk,
    );

/** Selects the posts with a status that is neither `scheduled` nor `published`, by an index that has only these. */
export const selectStatus = (
  index: "posts_by_status" | "posts_by_status_due",
  workspaceId: In<string>,
  status: string,
) =>
  // SQLite uses a partial index only if its condition is written out.
  sql`posts p INDEXED BY ${sql.raw(index)} WHERE p.workspace_id = ${workspaceId} AND p.status = ${status}
    AND p.status NOT IN ('scheduled', 'published')`;

export const walkStatus = (status: string): Record<Order, Walker> => ({
  newest: (walk) => selectByAge(selectStatus("posts_by_status", walk.workspaceId, status), sql`p.id`, walk),
  due: (walk) =>
    selectByDue(selectStatus("posts_by_status_due", walk.workspaceId, status), DUE_OR_PLANNED, sql`p.id`, walk),
});

/** Due posts whose deliveries have not all ended: few exist at a time, even across all workspaces. */
export const unfinishedPosts: Record<Order, Walker> = {
  newest: (walk) => selectByAge(selectUnfinished(walk), sql`p.id`, walk),
  due: (walk) => selectByDue(selectUnfinished(walk), sql`p.due_at`, sql`p.id`, walk),
};

/** Selects the ids of posts except drafts with a channel or label, in no order of ids. */
export const selectIdsWithTerm = (workspaceId: In<string>, term: string): SQL =>
  sql`SELECT t.post_id AS id FROM post_terms t WHERE t.workspace_id = ${workspaceId} AND t.term = ${term}`;
/** Selects the ids of posts on a network, in no order. */
export const selectIdsOnPlatform = (workspaceId: In<string>, platform: string): SQL =>
  sql`SELECT t.post_id AS id FROM channels c CROSS JOIN post_terms t ON t.workspace_id = c.workspace_id AND t.term = c.id
    WHERE c.workspace_id = ${workspaceId} AND c.platform = ${platform}`;
/** Selects the ids of posts that use a file, including drafts, in no order. */
export const selectIdsWithFile = (workspaceId: In<string>, media: string): SQL =>
  sql`SELECT u.post_id AS id FROM media_uses u WHERE u.workspace_id = ${workspaceId} AND u.media_id = ${media}`;
/** Selects the ids of posts that are due in a range, in no order of ids. */
export const selectIdsDueIn = (workspaceId: In<string>, { from, to }: DueRange): SQL =>
  sql`SELECT p.id AS id FROM posts p INDEXED BY posts_by_due
    WHERE p.workspace_id = ${workspaceId} AND p.due_at IS NOT NULL AND p.due_at >= ${from} AND p.due_at <= ${to - 1}`;

/**
 * The posts of `ids` in order if these are fewer than `count`; otherwise `walk`, which passes many of them. At most `count`
 * entries of `ids` are read to find out.
 */
export function sortFewOrWalk(ids: SQL, walker: Walker, order: Order, walk: Walk): SQL {
  const { workspaceId, after, count } = walk;
  const [due, position, inOrder] =
    order === "due"
      ? [DUE_OR_PLANNED, isLater(DUE_OR_PLANNED, sql`p.id`, after), sql`due, id`]
      : [sql`0`, isOlder(sql`p.id`, after, walk.range), sql`id DESC`];
  // A limit of 0 skips a select. A condition would be evaluated for each of its rows.
  const countIf = (isUsed: SQL) => sql`iif(${isUsed}, ${count}, 0)`;
  const isFew = sql`(SELECT few.is_few FROM few)`;
  return sql`(WITH few (is_few) AS MATERIALIZED (SELECT COUNT(*) < ${count} FROM (${ids} LIMIT ${count}))
    SELECT id, due FROM (SELECT p.id AS id, ${due} AS due FROM posts p WHERE p.workspace_id = ${workspaceId}
      AND p.id IN (SELECT id FROM (${ids} LIMIT ${countIf(isFew)})) AND ${position} ORDER BY ${inOrder} LIMIT ${countIf(isFew)})
    UNION ALL SELECT id, due FROM ${walker({ ...walk, count: countIf(sql`NOT ${isFew}`) })})`;
}
