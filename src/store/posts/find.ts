// Finds posts by any combination of filters. An index yields posts in the requested order. Filters that the index does
// not cover are compared row by row, for a bounded number of posts per statement. The caller continues until its page
// is full.
import { type SQL, sql } from "drizzle-orm";
import { MINUTE_MS, PAGE_BYTES_MAX } from "../../domain/limits.ts";
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
  mediaByDue,
  NEVER,
  platformByAge,
  platformByDue,
  postsByAge,
  postsByDue,
  rangeByAge,
  statusByAge,
  statusByDue,
  termByAge,
  termByDue,
  unfinishedByAge,
  unfinishedByDue,
} from "./walks.ts";

/**
 * How many posts the first statement of a page compares if no index covers the filters; each further statement compares
 * four times as many.
 */
const FIRST_WINDOW = 1_000;
const LAST_WINDOW = 16_000;
/** For filters that nearly all posts match: how many posts the first statement compares for each post of the page. */
const SMALL_WINDOW = 4;
/** More than the difference between the Worker's clock and the database's. */
const CLOCKS_DIFFER_MS = MINUTE_MS;

export interface Finding {
  /** null: all except drafts. */
  status: PostStatus | null;
  /** The range of the due time; null: any time, or no time. */
  range: DueRange | null;
  channel: string | null;
  platform: string | null;
  label: string | null;
  /** The id of a file that the post uses. */
  media: string | null;
  /** The id of the person or key that created it or changed it last. */
  author: string | null;
  /** Normalized words (case folded). A post must contain all of them. */
  words: string[];
  order: "newest" | "due";
  limit: number;
  /** Epoch milliseconds. */
  now: number;
  /** Where the previous page ended; the order `newest` uses only the id. */
  after: DuePlace | null;
}

/** The found posts, in the requested order. */
export interface Found {
  posts: ListedPost[];
  /** How many posts were compared; null: an index covered all filters. */
  lookedThrough: number | null;
  /** The position after which the search must continue for more posts; null: no posts are left. */
  goesOnAfter: DuePlace | null;
}

type Filter = "status" | "range" | "channel" | "platform" | "label" | "media" | "author" | "words";

interface Driver {
  walk(count: number): SQL;
  /** The filters that the walk itself applies, so that they need no further condition. */
  knows: Filter[];
}

/** The statuses that few posts have. Only these are in the index `posts_by_status_due`. */
const RARE = ["awaiting_approval", "failed", "partially_published", "cancelled"] as const;
type RareStatus = (typeof RARE)[number];
const isRare = (status: PostStatus | null): status is RareStatus => RARE.some((rare) => rare === status);

/** Narrows the time range of a search by status: `scheduled` posts are in the future, `published` posts in the past. */
function computeRange({ status, range, now }: Finding): DueRange | null {
  const { from, to } = range ?? ALWAYS;
  if (status === "scheduled") return { from: Math.max(from, now - CLOCKS_DIFFER_MS), to };
  if (status === "published") return { from, to: Math.min(to, now + CLOCKS_DIFFER_MS) };
  return range;
}

function chooseDriver(workspaceId: In<string>, finding: Finding): Driver {
  return finding.order === "due" ? driverByDue(workspaceId, finding) : driverByAge(workspaceId, finding);
}

function driverByDue(workspaceId: In<string>, finding: Finding): Driver {
  const { status, channel, platform, label, media, after } = finding;
  const along = (count: number) => ({ workspaceId, count, after, ...(computeRange(finding) ?? ALWAYS) });
  if (media !== null) return { walk: (count) => mediaByDue(media, along(count)), knows: ["range", "media"] };
  if (status === "draft") return { walk: (count) => draftsByDue(along(count)), knows: ["status", "range"] };
  if (isRare(status)) return { walk: (count) => statusByDue(status, along(count)), knows: ["status", "range"] };
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
  const range = computeRange(finding);
  if (status === "queued" || status === "publishing") {
    return { walk: (count) => unfinishedByAge(range ?? ALWAYS, along(count)), knows: ["range"] };
  }
  if (status === "draft" || isRare(status)) {
    return { walk: (count) => statusByAge(status, along(count)), knows: ["status"] };
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

/** The SQL condition of each requested filter, on a row of `posts`. */
function buildConditions(workspaceId: In<string>, finding: Finding): Partial<Record<Filter, SQL>> {
  const { status, range, channel, platform, label, media, author, words } = finding;
  const due = sql`COALESCE(posts.due_at, posts.publish_at)`;
  const holds = (column: SQL, value: string) => sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${value})`;
  const wordConditions = words.map((word) => sql`instr(posts.words, ${` ${word} `}) > 0`);
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
    ...(words.length === 0 ? {} : { words: sql`(posts.words IS NULL OR (${sql.join(wordConditions, sql` AND `)}))` }),
  };
}

/** How many posts one statement compares. */
function computeWindow({ status, limit }: Finding, conditions: number, statementsBefore: number): number {
  const isMostPosts = (status === "published" || status === "scheduled") && conditions === 1;
  const first = isMostPosts ? SMALL_WINDOW * limit : FIRST_WINDOW;
  return Math.min(first * 4 ** statementsBefore, LAST_WINDOW);
}

/**
 * The statement that finds the next posts, at most `limit`. It may find fewer although more exist: then `goesOnAfter`
 * is where the next statement begins. `statementsBefore`: how many statements ran for the same page.
 */
export function findPosts(
  db: Database,
  workspaceId: In<string>,
  finding: Finding,
  statementsBefore = 0,
): BatchPart<Found> {
  const { order, limit } = finding;
  const { walk, knows } = chooseDriver(workspaceId, finding);
  const remainingFilters = Object.entries(buildConditions(workspaceId, finding)).filter(
    ([filter]) => !knows.some((knownFilter) => knownFilter === filter),
  );
  const conditions = remainingFilters.map(([, condition]) => condition);
  const isWindow = conditions.length > 0;
  const count = isWindow ? computeWindow(finding, conditions.length, statementsBefore) : limit;
  const inOrder = order === "due" ? sql`due, id` : sql`id DESC`;
  const matches = isWindow
    ? sql`(SELECT w.id AS id, w.due AS due FROM ${walk(count)} w CROSS JOIN posts ON posts.workspace_id = ${workspaceId}
        AND posts.id = w.id WHERE ${sql.join(conditions, sql` AND `)} ORDER BY ${inOrder} LIMIT ${limit})`
    : sql`${walk(count)}`;
  const due = sql`COALESCE(${posts.dueAt}, ${posts.publishAt}, ${NEVER})`;
  const page = readPage(
    db,
    workspaceId,
    sql`(SELECT id FROM ${matches})`,
    order === "due" ? sql`${due}, ${posts.id}` : sql`${posts.id} DESC`,
  );
  if (!isWindow) {
    return mapPart(page, (rows) => ({ posts: rows, lookedThrough: null, goesOnAfter: endOfCut(rows, limit) }));
  }

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
      goesOnAfter:
        endOfCut(rows, limit) ?? (last !== undefined && last.count === count ? { due: last.due, id: last.id } : null),
    }),
  );
}

/** The position of the last row if more rows may follow because the row or byte limit was reached; otherwise null. */
function endOfCut(rows: ListedPost[], limit: number): DuePlace | null {
  const last = rows.at(-1);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return last !== undefined && (rows.length === limit || bytes > PAGE_BYTES_MAX) ? toCursor(last) : null;
}

/** The position of a post in the order of times; the order `newest` uses only the id. */
export const toCursor = ({ post }: ListedPost): DuePlace => ({
  due: post.dueAt ?? post.publishAt ?? NEVER,
  id: post.id,
});
