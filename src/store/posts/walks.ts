// The ways to walk through a workspace's posts in an order, each by an index: a select of `id` and `due`, as long as it is asked for.
// None sorts, and none reads more than it gives, but for a row of each day or channel that it merges.
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/limits.ts";

/** A place in the order of times: behind this post. */
export interface DuePlace {
  due: number;
  id: string;
}
/** Epoch milliseconds, `to` exclusive. */
export interface DueRange {
  from: number;
  to: number;
}
interface Walk {
  workspaceId: string;
  count: number;
}
interface DueWalk extends Walk, DueRange {
  after: DuePlace | null;
}
interface NewestWalk extends Walk {
  /** The id below which it begins; null: at the newest. */
  before: string | null;
}

/** Later than every instant: the time of what has none. Also in the index `drafts_by_due`. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** Behind every id. */
const LAST_ID = "~";

/** The part of an index on a time and an id that a walk goes through. */
function within(due: SQL, id: SQL, { from, to, after }: Pick<DueWalk, "from" | "to" | "after">): SQL {
  const start = sql`${due} >= ${Math.max(from, after?.due ?? 0)} AND ${due} <= ${to - 1}`;
  return after === null ? start : sql`${start} AND (${due}, ${id}) > (${after.due}, ${after.id})`;
}

/** All posts, drafts too. */
export function allByAge({ workspaceId, before, count }: NewestWalk): SQL {
  return sql`(SELECT p.id AS id, 0 AS due FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id < ${before ?? LAST_ID}
    ORDER BY p.id DESC LIMIT ${count})`;
}

/** All posts but drafts. */
export function postsByDue(walk: DueWalk): SQL {
  const [due, id] = [sql`p.due_at`, sql`p.id`];
  return sql`(SELECT ${id} AS id, ${due} AS due FROM posts p INDEXED BY posts_by_due
    WHERE p.workspace_id = ${walk.workspaceId} AND ${within(due, id, walk)} ORDER BY ${due}, ${id} LIMIT ${walk.count})`;
}

export function draftsByDue(walk: DueWalk): SQL {
  const [due, id] = [sql`COALESCE(p.publish_at, ${sql.raw(`${NEVER}`)})`, sql`p.id`];
  return sql`(SELECT ${id} AS id, ${due} AS due FROM posts p INDEXED BY drafts_by_due
    WHERE p.workspace_id = ${walk.workspaceId} AND p.status = 'draft' AND ${within(due, id, walk)}
    ORDER BY ${due}, ${id} LIMIT ${walk.count})`;
}

/** Those with a channel or label. */
export function termByDue(term: string, walk: DueWalk): SQL {
  const [due, id] = [sql`t.due_at`, sql`t.post_id`];
  return sql`(SELECT ${id} AS id, ${due} AS due FROM post_terms t
    WHERE t.workspace_id = ${walk.workspaceId} AND t.term = ${term} AND ${within(due, id, walk)}
    ORDER BY ${due}, ${id} LIMIT ${walk.count})`;
}

export function termByAge(term: string, { workspaceId, before, count }: NewestWalk): SQL {
  return sql`(SELECT t.post_id AS id, t.due_at AS due FROM post_terms t INDEXED BY post_terms_newest
    WHERE t.workspace_id = ${workspaceId} AND t.term = ${term} AND t.post_id < ${before ?? LAST_ID}
    ORDER BY t.post_id DESC LIMIT ${count})`;
}

/**
 * Several walks as one. `heads`: a select of what tells them apart, as `bucket`. `next`: a select of the place that comes
 * after `at` in a bucket, of one row or none. The queue of a recursive query is what keeps them in order.
 */
function merged(heads: SQL, first: string, next: (bucket: SQL, at: SQL) => SQL, order: SQL, count: number): SQL {
  return sql`WITH RECURSIVE walk (bucket, at) AS (
    SELECT h.bucket, (${next(sql`h.bucket`, sql`${first}`)}) FROM (${heads}) h
    UNION ALL SELECT walk.bucket, (${next(sql`walk.bucket`, sql`walk.at`)}) FROM walk WHERE walk.at IS NOT NULL
    ORDER BY 2 ${order} NULLS LAST LIMIT ${count})`;
}

const channelsOn = (workspaceId: string, platform: string) =>
  sql`SELECT c.id AS bucket FROM channels c WHERE c.workspace_id = ${workspaceId} AND c.platform = ${platform}`;

/** Digits of an instant in a place that is a text. */
const DIGITS = 16;

/** Those of a network's channels: one that goes to two of them comes twice. */
export function platformByDue(platform: string, walk: DueWalk): SQL {
  const { workspaceId, from, to, after, count } = walk;
  const first = `${String(after?.due ?? from).padStart(DIGITS, "0")} ${after?.id ?? ""}`;
  const dueOf = (at: SQL) => sql`CAST(substr(${at}, 1, ${sql.raw(`${DIGITS}`)}) AS INTEGER)`;
  const idOf = (at: SQL) => sql`substr(${at}, ${sql.raw(`${DIGITS + 2}`)})`;
  const next = (
    bucket: SQL,
    at: SQL,
  ) => sql`SELECT printf('%0${sql.raw(`${DIGITS}`)}d %s', t.due_at, t.post_id) FROM post_terms t
    WHERE t.workspace_id = ${workspaceId} AND t.term = ${bucket} AND t.due_at >= ${dueOf(at)} AND t.due_at <= ${to - 1}
      AND (t.due_at, t.post_id) > (${dueOf(at)}, ${idOf(at)}) ORDER BY t.due_at, t.post_id LIMIT 1`;
  const walked = merged(channelsOn(workspaceId, platform), first, next, sql`ASC`, count);
  return sql`(${walked} SELECT ${idOf(sql`at`)} AS id, ${dueOf(sql`at`)} AS due FROM walk WHERE at IS NOT NULL)`;
}

export function platformByAge(platform: string, { workspaceId, before, count }: NewestWalk): SQL {
  const next = (bucket: SQL, at: SQL) => sql`SELECT t.post_id FROM post_terms t INDEXED BY post_terms_newest
    WHERE t.workspace_id = ${workspaceId} AND t.term = ${bucket} AND t.post_id < ${at} ORDER BY t.post_id DESC LIMIT 1`;
  const walked = merged(channelsOn(workspaceId, platform), before ?? LAST_ID, next, sql`DESC`, count);
  return sql`(${walked} SELECT at AS id, 0 AS due FROM walk WHERE at IS NOT NULL)`;
}

/** All posts but drafts that are due within a range, the newest first. */
export function rangeByAge({ from, to }: DueRange, { workspaceId, before, count }: NewestWalk): SQL {
  const day = sql`p.due_at / ${sql.raw(`${DAY_MS}`)}`;
  const rows = sql`posts p INDEXED BY posts_by_day WHERE p.workspace_id = ${workspaceId} AND p.due_at IS NOT NULL`;
  const days = sql`WITH RECURSIVE days (bucket) AS (
    SELECT (SELECT ${day} FROM ${rows} AND ${day} >= ${Math.floor(from / DAY_MS)} ORDER BY ${day} LIMIT 1)
    UNION ALL SELECT (SELECT ${day} FROM ${rows} AND ${day} > days.bucket ORDER BY ${day} LIMIT 1)
      FROM days WHERE days.bucket IS NOT NULL AND days.bucket < ${Math.floor((to - 1) / DAY_MS)})
    SELECT bucket FROM days WHERE bucket <= ${Math.floor((to - 1) / DAY_MS)}`;
  const next = (bucket: SQL, at: SQL) => sql`SELECT p.id FROM ${rows} AND ${day} = ${bucket} AND p.id < ${at}
    AND p.due_at >= ${from} AND p.due_at <= ${to - 1} ORDER BY p.id DESC LIMIT 1`;
  const walked = merged(days, before ?? LAST_ID, next, sql`DESC`, count);
  return sql`(${walked} SELECT at AS id, 0 AS due FROM walk WHERE at IS NOT NULL)`;
}
