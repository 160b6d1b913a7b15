// Posts found by what is asked of them: an index walks through them in their order, and what no index knows is compared row by row,
// for a bounded number of posts at a time.
import { type SQL, sql } from "drizzle-orm";
import { HOUR_MS } from "../../domain/limits.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { type BatchPart, batchPart, bothParts, mapPart } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { posts } from "../db/schema.ts";
import { type ListedPost, readPage } from "./posts.ts";
import { shownStatus } from "./status.ts";
import {
  ALWAYS,
  type DuePlace,
  type DueRange,
  draftsByDue,
  mediaByAge,
  NEVER,
  platformByAge,
  platformByDue,
  postsByAge,
  postsByDue,
  rangeByAge,
  statusByAge,
  termByAge,
  termByDue,
  unfinishedByAge,
  unfinishedByDue,
} from "./walks.ts";

/** How many posts one page is looked for among, where no index knows what is asked. */
const WINDOW = 1_000;
/** The same where nearly all are, for each post of the page. */
const SMALL_WINDOW = 4;
/** More than the clock of who asks and that of the database differ. */
const CLOCKS_DIFFER_MS = HOUR_MS;

export interface Finding {
  /** null: all but the drafts. */
  status: PostStatus | null;
  /** Of the time that was promised; null: any, or none. */
  range: DueRange | null;
  channel: string | null;
  platform: string | null;
  label: string | null;
  /** The id of a file that the post uses. */
  media: string | null;
  /** The id of who made it or changed it last. */
  author: string | null;
  /** Folded; the post has all of them. */
  words: string[];
  order: "newest" | "due";
  limit: number;
  /** Epoch milliseconds. */
  now: number;
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

type Filter = "status" | "range" | "channel" | "platform" | "label" | "media" | "author" | "words";

interface Driver {
  walk(count: number): SQL;
  /** What the walk already holds to. */
  knows: Filter[];
}

/** The times of what is asked for: only what is still ahead is `scheduled`, only what is not is published. */
function rangeOf({ status, range, now }: Finding): DueRange | null {
  const { from, to } = range ?? ALWAYS;
  if (status === "scheduled") return { from: Math.max(from, now - CLOCKS_DIFFER_MS), to };
  if (status === "published") return { from, to: Math.min(to, now + CLOCKS_DIFFER_MS) };
  return range;
}

function driverOf(workspaceId: In<string>, finding: Finding): Driver {
  return finding.order === "due" ? driverByDue(workspaceId, finding) : driverByAge(workspaceId, finding);
}

function driverByDue(workspaceId: In<string>, finding: Finding): Driver {
  const { status, channel, platform, label, after } = finding;
  const along = (count: number) => ({ workspaceId, count, after, ...(rangeOf(finding) ?? ALWAYS) });
  if (status === "draft") return { walk: (count) => draftsByDue(along(count)), knows: ["status", "range"] };
  if (status === "queued" || status === "publishing") {
    return { walk: (count) => unfinishedByDue(along(count)), knows: ["range"] };
  }
  const released: Filter[] = status === null ? ["status", "range"] : ["range"];
  if (label !== null) return { walk: (count) => termByDue(`#${label}`, along(count)), knows: [...released, "label"] };
  if (channel !== null) return { walk: (count) => termByDue(channel, along(count)), knows: [...released, "channel"] };
  if (platform === null) return { walk: (count) => postsByDue(along(count)), knows: released };
  return { walk: (count) => platformByDue(platform, along(count)), knows: [...released, "platform"] };
}

function driverByAge(workspaceId: In<string>, finding: Finding): Driver {
  const { status, channel, platform, label, media, after } = finding;
  const along = (count: number) => ({ workspaceId, count, before: after?.id ?? null });
  if (media !== null) return { walk: (count) => mediaByAge(media, along(count)), knows: [] };
  const range = rangeOf(finding);
  switch (status) {
    case "queued":
    case "publishing":
      return { walk: (count) => unfinishedByAge(range ?? ALWAYS, along(count)), knows: ["range"] };
    case "draft":
    case "awaiting_approval":
    case "failed":
    case "partially_published":
    case "cancelled":
      return { walk: (count) => statusByAge(status, along(count)), knows: ["status"] };
    case "scheduled":
    case "published":
    case null:
  }
  const released: Filter[] = status === null ? ["status", "range"] : ["range"];
  const times = range ?? ALWAYS;
  if (label !== null)
    return { walk: (count) => termByAge(`#${label}`, times, along(count)), knows: [...released, "label"] };
  if (channel !== null)
    return { walk: (count) => termByAge(channel, times, along(count)), knows: [...released, "channel"] };
  if (platform !== null) {
    return { walk: (count) => platformByAge(platform, times, along(count)), knows: [...released, "platform"] };
  }
  if (range === null) return { walk: (count) => postsByAge(along(count)), knows: released };
  return { walk: (count) => rangeByAge(times, along(count)), knows: released };
}

/** What each filter asks of a row of `posts`. */
function conditionsOf(workspaceId: In<string>, finding: Finding): Partial<Record<Filter, SQL>> {
  const { status, range, channel, platform, label, media, author, words } = finding;
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
    ...(media === null
      ? {}
      : {
          media: sql`EXISTS (SELECT 1 FROM media_uses u WHERE u.workspace_id = ${workspaceId} AND u.media_id = ${media}
            AND u.post_id = posts.id)`,
        }),
    ...(author === null ? {} : { author: sql`posts.author ->> '$.id' = ${author}` }),
    ...(words.length === 0 ? {} : { words: sql`(posts.words IS NULL OR (${sql.join(named, sql` AND `)}))` }),
  };
}

/** A page of the posts that are found, with one more where there are more. */
export function findPosts(db: Database, workspaceId: In<string>, finding: Finding): BatchPart<Found> {
  const { status, order, limit } = finding;
  const { walk, knows } = driverOf(workspaceId, finding);
  const left = Object.entries(conditionsOf(workspaceId, finding)).filter(
    ([filter]) => !knows.some((one) => one === filter),
  );
  const conditions = left.map(([, condition]) => condition);
  const isWindow = conditions.length > 0;
  const isOfStatus = (status === "published" || status === "scheduled") && conditions.length === 1;
  const count = isOfStatus ? SMALL_WINDOW * limit : isWindow ? WINDOW : limit;
  const inOrder = order === "due" ? sql`due, id` : sql`id DESC`;
  const found = isWindow
    ? sql`(SELECT w.id AS id, w.due AS due FROM ${walk(count)} w CROSS JOIN posts ON posts.workspace_id = ${workspaceId}
        AND posts.id = w.id WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${inOrder} LIMIT ${limit})`
    : sql`${walk(count)}`;
  const due = sql`COALESCE(${posts.dueAt}, ${posts.publishAt}, ${NEVER})`;
  const page = readPage(
    db,
    workspaceId,
    sql`(SELECT id FROM ${found})`,
    order === "due" ? sql`${due}, ${posts.id}` : sql`${posts.id} DESC`,
  );
  if (!isWindow) return mapPart(page, (rows) => ({ posts: rows, lookedThrough: null, stoppedAt: null }));

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
      lookedThrough: last?.count ?? 0,
      stoppedAt:
        last !== undefined && last.count === count && rows.length < limit ? { due: last.due, id: last.id } : null,
    }),
  );
}
