// Posts found by what is asked of them: an index walks through them in their order, and what no index knows is compared row by row,
// for a bounded number of posts at a time.
import { type SQL, sql } from "drizzle-orm";
import type { PostStatus } from "../../domain/posts/post.ts";
import { type BatchPart, batchPart, bothParts, mapPart } from "../db/batch.ts";
import type { Database } from "../db/db.ts";
import { posts } from "../db/schema.ts";
import { type ListedPost, newestIds, readPage } from "./posts.ts";
import { shownStatus } from "./status.ts";
import {
  allByAge,
  type DuePlace,
  type DueRange,
  draftsByDue,
  NEVER,
  platformByAge,
  platformByDue,
  postsByDue,
  rangeByAge,
  termByAge,
  termByDue,
} from "./walks.ts";

/** How many posts one page is looked for among, where no index knows what is asked. */
const WINDOW = 1_000;

export interface Finding {
  /** null: all but the drafts. */
  status: PostStatus | null;
  /** Of the time that was promised; null: any, or none. */
  range: DueRange | null;
  channel: string | null;
  platform: string | null;
  label: string | null;
  /** Folded; the post has all of them. */
  words: string[];
  order: "newest" | "due";
  limit: number;
  /** Where the page before ended; of the newest only the id counts. */
  after: DuePlace | null;
}

/** Found posts in their order. */
export interface Found {
  posts: ListedPost[];
  /** How many posts were looked through; null: an index knew all. */
  lookedThrough: number | null;
  /** Where the walk stopped before its end; null: it went to the end, or the page is full before. */
  stoppedAt: DuePlace | null;
}

type Filter = "status" | "range" | "channel" | "platform" | "label" | "words";

interface Driver {
  walk(count: number): SQL;
  /** What the walk already holds to. */
  knows: Filter[];
  /** It may give a post twice. */
  repeats?: true;
}

function driverOf(workspaceId: string, finding: Finding): Driver {
  const { status, range, channel, platform, label, order, after } = finding;
  const term = label === null ? channel : `#${label}`;
  const ofTerm: Filter = label === null ? "channel" : "label";
  const isDraft = status === "draft";
  const released: Filter[] = status === null || isDraft ? ["status"] : [];
  const before = after?.id ?? null;
  if (order === "due") {
    const along = (count: number) => ({ workspaceId, count, after, ...(range ?? { from: 0, to: NEVER + 1 }) });
    if (isDraft) return { walk: (count) => draftsByDue(along(count)), knows: ["status", "range"] };
    if (term !== null) return { walk: (count) => termByDue(term, along(count)), knows: [...released, "range", ofTerm] };
    if (platform === null) return { walk: (count) => postsByDue(along(count)), knows: [...released, "range"] };
    const walk = (count: number) => platformByDue(platform, along(count));
    return { walk, knows: [...released, "range", "platform"], repeats: true };
  }
  if (range !== null && !isDraft) {
    return { walk: (count) => rangeByAge(range, { workspaceId, before, count }), knows: [...released, "range"] };
  }
  if (status === null && term === null && platform === null) {
    return { walk: (count) => allByAge({ workspaceId, before, count }), knows: [] };
  }
  if (isDraft || (term === null && platform === null)) {
    const walk = (count: number) =>
      sql`(SELECT id, 0 AS due FROM ${newestIds(workspaceId, { status, limit: count, before })})`;
    return { walk, knows: ["status"] };
  }
  if (term !== null) {
    return { walk: (count) => termByAge(term, { workspaceId, before, count }), knows: [...released, ofTerm] };
  }
  const walk = (count: number) => platformByAge(platform ?? "", { workspaceId, before, count });
  return { walk, knows: [...released, "platform"], repeats: true };
}

/** What each filter asks of a row of `posts`. */
function conditionsOf(workspaceId: string, finding: Finding): Partial<Record<Filter, SQL>> {
  const { status, range, channel, platform, label, words } = finding;
  const due = sql`COALESCE(posts.due_at, posts.publish_at)`;
  const holds = (column: SQL, value: string) => sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`;
  const named = words.map((word) => sql`instr(posts.words, ${` ${word} `}) > 0`);
  return {
    status: status === null ? sql`posts.status <> 'draft'` : sql`${shownStatus} = ${status}`,
    ...(range === null ? {} : { range: sql`${due} >= ${range.from} AND ${due} < ${range.to}` }),
    ...(channel === null ? {} : { channel: holds(sql`posts.channels`, channel) }),
    ...(platform === null
      ? {}
      : {
          platform: sql`EXISTS (SELECT 1 FROM json_each(posts.channels) j JOIN channels c ON c.workspace_id = ${workspaceId}
            AND c.id = j.value AND c.platform = ${platform})`,
        }),
    ...(label === null ? {} : { label: holds(sql`posts.labels`, label) }),
    ...(words.length === 0 ? {} : { words: sql`(posts.words IS NULL OR (${sql.join(named, sql` AND `)}))` }),
  };
}

/** A page of the posts that are found, with one more where there are more. */
export function findPosts(db: Database, workspaceId: string, finding: Finding): BatchPart<Found> {
  const { order, limit } = finding;
  const { walk, knows, repeats = false } = driverOf(workspaceId, finding);
  const left = Object.entries(conditionsOf(workspaceId, finding)).filter(
    ([filter]) => !knows.some((one) => one === filter),
  );
  const conditions = left.map(([, condition]) => condition);
  const isWindow = conditions.length > 0;
  const count = isWindow ? WINDOW : limit;
  const inOrder = order === "due" ? sql`due, id` : sql`id DESC`;
  const found = isWindow
    ? sql`(SELECT DISTINCT w.id AS id, w.due AS due FROM ${walk(count)} w CROSS JOIN posts ON posts.workspace_id = ${workspaceId}
        AND posts.id = w.id WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${inOrder} LIMIT ${limit})`
    : sql`(SELECT DISTINCT id, due FROM ${walk(count)} ORDER BY ${inOrder} LIMIT ${limit})`;
  const due = sql`COALESCE(${posts.dueAt}, ${posts.publishAt}, ${NEVER})`;
  const page = readPage(
    db,
    workspaceId,
    sql`(SELECT id FROM ${found})`,
    order === "due" ? sql`${due}, ${posts.id}` : sql`${posts.id} DESC`,
  );
  if (!isWindow && !repeats) return mapPart(page, (rows) => ({ posts: rows, lookedThrough: null, stoppedAt: null }));

  const lastFirst = order === "due" ? sql`due DESC, id DESC` : sql`id`;
  const walked = db
    .select({ count: sql<number>`COUNT(*) OVER ()`, due: sql<number>`due`, id: sql<string>`id` })
    .from(walk(count))
    .orderBy(lastFirst)
    .limit(1);
  return mapPart(
    bothParts(
      page,
      batchPart({ walked }, ({ walked: [last] }) => last),
    ),
    ([rows, last]) => ({
      posts: rows,
      lookedThrough: isWindow ? (last?.count ?? 0) : null,
      stoppedAt:
        last !== undefined && last.count === count && rows.length < limit ? { due: last.due, id: last.id } : null,
    }),
  );
}
