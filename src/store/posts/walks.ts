// Walks through a workspace's posts by time or by age. Each is a select of the `id` and `due` of up to `count` posts,
// by an index. A walk reads only the rows that it returns, plus a few rows of each day that it crosses and the remainder
// of its last day.
import { type SQL, sql } from "drizzle-orm";
import { DAY_MS } from "../../domain/limits.ts";
import { type In, NOW } from "../db/db.ts";

/** The position after this post, in the order of due times. */
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
  workspaceId: In<string>;
  count: number;
}
interface DueWalk extends Walk, DueRange {
  after: DuePlace | null;
}
interface NewestWalk extends Walk {
  /** The id below which it begins; null: start at the newest. */
  before: string | null;
}

/** Later than every instant: the time of a post without one. Also used in the index `drafts_by_due`. */
export const NEVER = Number.MAX_SAFE_INTEGER;
/** The range of all times, including that of a post without one. */
export const ALWAYS: DueRange = { from: 0, to: NEVER + 1 };
/** Sorts after every id. */
const LAST_ID = "~";
const DAY = sql.raw(`${DAY_MS}`);
const toDay = (instant: number): number => Math.floor(instant / DAY_MS);

/** The range of an order by time and id that a walk goes through. */
function within(due: SQL, id: SQL, { from, to, after }: Pick<DueWalk, "from" | "to" | "after">): SQL {
  const start = sql`${due} >= ${Math.max(from, after?.due ?? 0)} AND ${due} <= ${to - 1}`;
  return after === null ? start : sql`${start} AND (${due}, ${id}) > (${after.due}, ${after.id})`;
}

/** All posts except drafts. */
export function postsByAge({ workspaceId, before, count }: NewestWalk): SQL {
  return sql`(SELECT p.id AS id, 0 AS due FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id < ${before ?? LAST_ID} AND p.status <> 'draft'
    ORDER BY p.id DESC LIMIT ${count})`;
}

/** Posts with a status that the index `posts_by_status` covers. */
export function statusByAge(status: string, { workspaceId, before, count }: NewestWalk): SQL {
  // The index condition is inlined, because SQLite uses the index only then.
  return sql`(SELECT p.id AS id, 0 AS due FROM posts p INDEXED BY posts_by_status WHERE p.workspace_id = ${workspaceId}
    AND p.status = ${status} AND p.status NOT IN ('scheduled', 'published') AND p.id < ${before ?? LAST_ID}
    ORDER BY p.id DESC LIMIT ${count})`;
}

/**
 * Posts that may use a file, including drafts: if the file has fewer than `count` uses, exactly these posts; otherwise
 * all posts, because many of them use it.
 */
export function mediaByAge(media: string, { workspaceId, before, count }: NewestWalk): SQL {
  const uses = sql`media_uses u WHERE u.workspace_id = ${workspaceId} AND u.media_id = ${media}`;
  const isOften = sql`(SELECT COUNT(*) FROM (SELECT 1 FROM ${uses} LIMIT ${count})) = ${count}`;
  const end = before ?? LAST_ID;
  return sql`(SELECT f.id AS id, 0 AS due FROM
    (SELECT * FROM (SELECT u.post_id AS id FROM ${uses} AND u.post_id < ${end} AND NOT ${isOften} ORDER BY u.post_id DESC LIMIT ${count})
      UNION ALL SELECT * FROM (SELECT p.id AS id FROM posts p WHERE p.workspace_id = ${workspaceId} AND p.id < ${end} AND ${isOften}
        ORDER BY p.id DESC LIMIT ${count})) f
    ORDER BY f.id DESC)`;
}

export function draftsByDue(walk: DueWalk): SQL {
  const [due, id] = [sql`COALESCE(p.publish_at, ${sql.raw(`${NEVER}`)})`, sql`p.id`];
  return sql`(SELECT ${id} AS id, ${due} AS due FROM posts p INDEXED BY drafts_by_due
    WHERE p.workspace_id = ${walk.workspaceId} AND p.status = 'draft' AND ${within(due, id, walk)}
    ORDER BY ${due}, ${id} LIMIT ${walk.count})`;
}

/** The due time of a post, or its planned time. */
const dueTime = sql`COALESCE(p.due_at, p.publish_at, ${sql.raw(`${NEVER}`)})`;

/** Posts with a status that the index `posts_by_status_due` covers. */
export function statusByDue(status: string, walk: DueWalk): SQL {
  // The index condition is inlined, because SQLite uses the index only then.
  return sql`(SELECT p.id AS id, ${dueTime} AS due FROM posts p INDEXED BY posts_by_status_due
    WHERE p.workspace_id = ${walk.workspaceId} AND p.status = ${status} AND p.status NOT IN ('draft', 'scheduled', 'published')
      AND ${within(dueTime, sql`p.id`, walk)} ORDER BY ${dueTime}, p.id LIMIT ${walk.count})`;
}

/** Posts that use a file. All uses are read, because no index orders them by time. */
export function mediaByDue(media: string, walk: DueWalk): SQL {
  return sql`(SELECT p.id AS id, ${dueTime} AS due FROM media_uses u CROSS JOIN posts p
      ON p.workspace_id = u.workspace_id AND p.id = u.post_id
    WHERE u.workspace_id = ${walk.workspaceId} AND u.media_id = ${media} AND ${within(dueTime, sql`p.id`, walk)}
    ORDER BY due, id LIMIT ${walk.count})`;
}

/** Due posts whose deliveries have not all ended: few exist at a time, even across all workspaces. */
function unfinished(workspaceId: In<string>, where: SQL): SQL {
  return sql`SELECT p.id AS id, p.due_at AS due FROM posts p INDEXED BY posts_by_time
    WHERE p.status = 'scheduled' AND p.due_at <= ${NOW} AND p.workspace_id = ${workspaceId} AND ${where}`;
}

export function unfinishedByDue(walk: DueWalk): SQL {
  return sql`(${unfinished(walk.workspaceId, within(sql`p.due_at`, sql`p.id`, walk))} ORDER BY due, id LIMIT ${walk.count})`;
}

export function unfinishedByAge({ from, to }: DueRange, { workspaceId, before, count }: NewestWalk): SQL {
  const where = sql`p.id < ${before ?? LAST_ID} AND p.due_at >= ${from} AND p.due_at <= ${to - 1}`;
  return sql`(${unfinished(workspaceId, where)} ORDER BY id DESC LIMIT ${count})`;
}

/**
 * The index of posts by time: `post_terms`, in groups (a channel, a label), each ordered by day and then by id. All
 * posts except drafts are in the groups of their channels.
 */
interface Groups {
  workspaceId: SQL;
  /** A select of the groups, as `term`. */
  groups: SQL;
}
/** The groups of a walk in a workspace. */
type GroupsOf = (workspaceId: SQL) => SQL;

/** The group of a channel, by its id, or of a label, by # and the label. */
const ofTerm =
  (term: string): GroupsOf =>
  () =>
    sql`SELECT ${term} AS term`;
const ofPlatform =
  (platform: string): GroupsOf =>
  (workspaceId) =>
    sql`SELECT c.id AS term FROM channels c WHERE c.workspace_id = ${workspaceId} AND c.platform = ${platform}`;
/** Disconnected channels have groups too. */
const ofAll: GroupsOf = (workspaceId) =>
  sql`SELECT c.id AS term FROM channels c WHERE c.workspace_id = ${workspaceId} UNION ALL SELECT ''`;

/**
 * The workspace as a one-row table, from which its id is read. A walk uses the id at a deep level, where the subselect
 * for a key's workspace would exceed SQLite's nesting limit (100 levels).
 */
const workspaceTable = (workspaceId: In<string>): SQL => sql`workspace (id) AS MATERIALIZED (SELECT ${workspaceId})`;
const WORKSPACE = sql`(SELECT workspace.id FROM workspace)`;
const buildIndex = (groupsOf: GroupsOf): Groups => ({ workspaceId: WORKSPACE, groups: groupsOf(WORKSPACE) });

/** The entries of a group; more conditions may follow. */
const selectEntries = (workspaceId: SQL, group: SQL): SQL =>
  sql`post_terms e WHERE e.workspace_id = ${workspaceId} AND e.term = ${group}`;

/** The entries of a day that a walk goes through. */
const ofDay = ({ workspaceId, groups }: Groups, day: SQL, condition: SQL): SQL =>
  sql`(${groups}) g CROSS JOIN ${selectEntries(workspaceId, sql`g.term`)} AND e.day = ${day} AND ${condition}`;

/** The first or last day with entries within a range. */
function nearestDay({ workspaceId, groups }: Groups, which: "first" | "last", from: SQL, to: SQL): SQL {
  const [nearest, order] = which === "first" ? [sql`MIN`, sql`ASC`] : [sql`MAX`, sql`DESC`];
  return sql`(SELECT ${nearest}((SELECT e.day FROM ${selectEntries(workspaceId, sql`g.term`)} AND e.day >= ${from} AND e.day <= ${to}
    ORDER BY e.day ${order} LIMIT 1)) FROM (${groups}) g)`;
}

/**
 * Adds days until they have `count` posts: a recursive table `days` of `day` and `had`, the number of posts in the days
 * before it. `condition`: which entries count.
 */
function daysUntil(index: Groups, which: "first" | "last", range: DueRange, condition: SQL, count: number): SQL {
  const [from, to] = [sql`${toDay(range.from)}`, sql`${toDay(range.to - 1)}`];
  const next =
    which === "first"
      ? nearestDay(index, which, sql`days.day + 1`, to)
      : nearestDay(index, which, from, sql`days.day - 1`);
  return sql`days (day, had) AS (SELECT ${nearestDay(index, which, from, to)}, 0
    UNION ALL SELECT ${next}, days.had + (SELECT COUNT(*)
      FROM (SELECT DISTINCT e.post_id FROM ${ofDay(index, sql`days.day`, condition)} LIMIT ${count}))
      FROM days WHERE days.day IS NOT NULL AND days.had < ${count})`;
}

function byDue(groupsOf: GroupsOf, walk: DueWalk): SQL {
  const index = buildIndex(groupsOf);
  const { workspaceId, from, to, after, count } = walk;
  const condition = within(sql`e.due_at`, sql`e.post_id`, walk);
  return sql`(WITH RECURSIVE ${workspaceTable(workspaceId)}, ${daysUntil(index, "first", { from: Math.max(from, after?.due ?? 0), to }, condition, count)}
    SELECT DISTINCT e.post_id AS id, e.due_at AS due FROM days CROSS JOIN ${ofDay(index, sql`days.day`, condition)}
      AND days.had < ${count} ORDER BY due, id LIMIT ${count})`;
}

/**
 * Selects the newest posts by merging the entries of the days: the queue of a recursive query holds the next post of
 * each day. No post is due before it is created, so no post of the page is in a day before the creation of the page's
 * last post. The first `count` posts of the last days show how early that can be, and earlier days are not read.
 */
function byAge(groupsOf: GroupsOf, range: DueRange, walk: NewestWalk): SQL {
  const index = buildIndex(groupsOf);
  const { workspaceId, groups } = index;
  const { before, count } = walk;
  const isDue = sql`e.due_at >= ${range.from} AND e.due_at <= ${range.to - 1}`;
  const condition = sql`e.post_id < ${before ?? LAST_ID} AND ${isDue}`;
  const enough = sql`SELECT DISTINCT e.post_id AS id FROM days CROSS JOIN ${ofDay(index, sql`days.day`, condition)}
    AND days.had < ${count} ORDER BY id DESC LIMIT 1 OFFSET ${count - 1}`;
  const first = sql`MAX(${toDay(range.from)}, COALESCE((SELECT p.created_at / ${DAY} - 1 FROM posts p
    WHERE p.workspace_id = ${workspaceId} AND p.id = (${enough})), 0))`;
  const last = sql`${toDay(range.to - 1)}`;
  const nextId = (
    day: SQL,
    below: SQL,
  ) => sql`(SELECT MAX((SELECT e.post_id FROM ${selectEntries(workspaceId, sql`g.term`)} AND e.day = ${day}
    AND e.post_id < ${below} AND ${isDue} ORDER BY e.post_id DESC LIMIT 1)) FROM (${groups}) g)`;
  return sql`(WITH RECURSIVE ${workspaceTable(walk.workspaceId)}, ${daysUntil(index, "last", range, condition, count)},
    since (day) AS MATERIALIZED (SELECT ${first}),
    every (day) AS (SELECT ${nearestDay(index, "first", sql`since.day`, last)} FROM since
      UNION ALL SELECT ${nearestDay(index, "first", sql`every.day + 1`, last)} FROM every WHERE every.day IS NOT NULL),
    walk (day, at) AS (
      SELECT every.day, ${nextId(sql`every.day`, sql`${before ?? LAST_ID}`)} FROM every WHERE every.day IS NOT NULL
      UNION ALL SELECT walk.day, ${nextId(sql`walk.day`, sql`walk.at`)} FROM walk WHERE walk.at IS NOT NULL
      ORDER BY 2 DESC NULLS LAST LIMIT ${count})
    SELECT at AS id, 0 AS due FROM walk WHERE at IS NOT NULL)`;
}

/** All posts except drafts. */
export const postsByDue = (walk: DueWalk): SQL => byDue(ofAll, walk);
export const rangeByAge = (range: DueRange, walk: NewestWalk): SQL => byAge(ofAll, range, walk);
/** Posts with a channel or label. */
export const termByDue = (term: string, walk: DueWalk): SQL => byDue(ofTerm(term), walk);
export const termByAge = (term: string, range: DueRange, walk: NewestWalk): SQL => byAge(ofTerm(term), range, walk);
/** Posts of a network's channels. */
export const platformByDue = (platform: string, walk: DueWalk): SQL => byDue(ofPlatform(platform), walk);
export const platformByAge = (platform: string, range: DueRange, walk: NewestWalk): SQL =>
  byAge(ofPlatform(platform), range, walk);
