// Finds posts by any combination of filters. A plain index yields posts in the requested order. Filters that the index
// does not cover are compared row by row, for a bounded number of posts per statement. The caller continues until its
// page is full.
import { type SQL, sql } from "drizzle-orm";
import { MINUTE_MS, PAGE_BYTES_MAX } from "../../domain/limits.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import { joinStatements, mapStatements, type Statements, toStatements } from "../db/batch.ts";
import type { Database, In } from "../db/db.ts";
import { posts } from "../db/schema.ts";
import { type ListedPost, readPage } from "./posts.ts";
import { shownStatus } from "./status.ts";
import {
  ALWAYS,
  allPosts,
  type DueCursor,
  type DueRange,
  NEVER,
  type Order,
  selectIdsDueIn,
  selectIdsOnPlatform,
  selectIdsWithFile,
  selectIdsWithTerm,
  sortFewOrWalk,
  unfinishedPosts,
  type Walker,
  walkStatus,
  walkTerm,
} from "./walks.ts";

const FILTERS = ["status", "range", "channel", "platform", "label", "media", "author", "attention", "words"] as const;
type Filter = (typeof FILTERS)[number];

/**
 * How many posts one statement compares if no index covers the filters: first this many, and four times as many in each
 * further statement.
 */
const FIRST_WINDOW = 1_000;
const LAST_WINDOW = 16_000;
/** Filters that most posts match, or most of the newest: a page is likely to be found among few posts. */
const BROAD: Filter[] = ["status", "range", "channel", "platform"];
/** How many posts are compared first for each post of a page with only such filters. */
const BROAD_WINDOW = 4;
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
  /** Whether only posts are found that failed on a channel, or that a network changed or removed. */
  needsAttention: boolean;
  /** Normalized words (case folded). A post must contain all of them. */
  words: string[];
  order: Order;
  limit: number;
  /** Epoch milliseconds. */
  now: number;
  /** Where the previous page ended; the order `newest` uses only the id. */
  after: DueCursor | null;
}

/** The found posts, in the requested order. */
export interface Found {
  posts: ListedPost[];
  /** How many posts were compared; null: an index covered all filters. */
  lookedThrough: number | null;
  /** The position after which the search must continue for more posts; null: no posts are left. */
  goesOnAfter: DueCursor | null;
}

/** Narrows the time range of a search by status: `scheduled` posts are in the future, `published` posts in the past. */
function computeRange({ status, range, now }: Finding): DueRange {
  const { from, to } = range ?? ALWAYS;
  if (status === "scheduled") return { from: Math.max(from, now - CLOCKS_DIFFER_MS), to };
  if (status === "published") return { from, to: Math.min(to, now + CLOCKS_DIFFER_MS) };
  return { from, to };
}

const isUnfinished = (status: PostStatus | null) => status === "queued" || status === "publishing";

/** The walk in the requested order that passes the fewest posts, and the filters that it covers. */
function chooseWalk({ status, label, channel, order }: Finding): { walker: Walker; covers: Filter[] } {
  const ranged: Filter[] = order === "due" ? ["range"] : [];
  if (isUnfinished(status)) return { walker: unfinishedPosts[order], covers: ranged };
  if (status !== null && status !== "scheduled" && status !== "published") {
    return { walker: walkStatus(status)[order], covers: [...ranged, "status"] };
  }
  const covers: Filter[] = status === null ? [...ranged, "status"] : ranged;
  if (order === "due" && label !== null) return { walker: walkTerm(`#${label}`), covers: [...covers, "label"] };
  if (order === "due" && channel !== null) return { walker: walkTerm(channel), covers: [...covers, "channel"] };
  return { walker: allPosts[order], covers };
}

/** The ids of all posts that match a filter which the walk does not cover; null: no index has them. */
function chooseIds(workspaceId: In<string>, finding: Finding, uncovered: Filter[]): SQL | null {
  const { status, channel, platform, label, media, order } = finding;
  if (media !== null) return selectIdsWithFile(workspaceId, media);
  // The other indexes have no drafts, and few posts are unfinished.
  if (status === "draft" || isUnfinished(status)) return null;
  if (label !== null && uncovered.includes("label")) return selectIdsWithTerm(workspaceId, `#${label}`);
  if (uncovered.includes("range") || (status === "scheduled" && order === "newest")) {
    return selectIdsDueIn(workspaceId, computeRange(finding));
  }
  if (channel !== null && uncovered.includes("channel")) return selectIdsWithTerm(workspaceId, channel);
  return platform === null ? null : selectIdsOnPlatform(workspaceId, platform);
}

/** The SQL condition of each requested filter, on a row of `posts`. */
function buildConditions(workspaceId: In<string>, finding: Finding): Partial<Record<Filter, SQL>> {
  const { status, range, channel, platform, label, media, author, needsAttention, words } = finding;
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
    ...(needsAttention ? { attention: hasDeliveryToLookAt(workspaceId) } : {}),
    ...(words.length === 0 ? {} : { words: sql`(posts.words IS NULL OR (${sql.join(wordConditions, sql` AND `)}))` }),
  };
}

/** Whether a delivery of the row in `posts` failed, or its network changed or removed the post. */
const hasDeliveryToLookAt = (workspaceId: In<string>): SQL => sql`EXISTS (SELECT 1 FROM deliveries d
  WHERE d.workspace_id = ${workspaceId} AND d.post_id = posts.id AND (d.state IN ('failed', 'outcome_unknown')
    OR (d.state = 'live' AND d.network_post ->> '$.readback.state' = 'altered')
    OR (d.state = 'removed' AND NOT EXISTS (SELECT 1 FROM follow_ups f WHERE f.workspace_id = ${workspaceId}
      AND f.post_id = d.post_id AND f.channel_id = d.channel_id AND f.kind = 'takedown'))))`;

/**
 * The statement that finds the next posts, at most `limit`. It may find fewer although more exist: then `goesOnAfter`
 * is where the next statement begins. `statementsBefore`: how many statements ran for the same page.
 */
export function findPosts(
  db: Database,
  workspaceId: In<string>,
  finding: Finding,
  statementsBefore = 0,
): Statements<Found> {
  const { status, order, limit, after } = finding;
  const range = computeRange(finding);
  const { walker, covers } = chooseWalk(finding);
  const conditions = buildConditions(workspaceId, finding);
  const uncovered = FILTERS.filter((filter) => conditions[filter] !== undefined && !covers.includes(filter));
  if (uncovered.length === 0) {
    const page = readInOrder(db, workspaceId, order, walker({ workspaceId, after, range, count: limit }));
    return mapStatements(page, (rows) => ({ posts: rows, lookedThrough: null, goesOnAfter: endOfCut(rows, limit) }));
  }

  const isBroad = !isUnfinished(status) && uncovered.every((filter) => BROAD.includes(filter));
  const windowsBefore = isBroad ? statementsBefore - 1 : statementsBefore;
  const count = windowsBefore < 0 ? BROAD_WINDOW * limit : Math.min(FIRST_WINDOW * 4 ** windowsBefore, LAST_WINDOW);
  const ids = windowsBefore < 0 ? null : chooseIds(workspaceId, finding, uncovered);
  const along = { workspaceId, after, range, count };
  const walk = ids === null ? walker(along) : sortFewOrWalk(ids, walker, order, along);
  // Posts that come from `ids` have not been compared with anything.
  const compared = ids === null ? uncovered : FILTERS;
  const isMatch = sql.join(
    compared.flatMap((filter) => conditions[filter] ?? []),
    sql` AND `,
  );
  const page = readInOrder(
    db,
    workspaceId,
    order,
    sql`(SELECT w.id AS id, w.due AS due FROM ${walk} w CROSS JOIN posts ON posts.workspace_id = ${workspaceId} AND posts.id = w.id
      WHERE ${isMatch} ORDER BY ${order === "due" ? sql`due, id` : sql`id DESC`} LIMIT ${limit})`,
  );
  const lastFirst = order === "due" ? sql`due DESC, id DESC` : sql`id`;
  const walked = db
    .select({ count: sql<number>`COUNT(*) OVER ()`, due: sql<number>`due`, id: sql<string>`id` })
    .from(walk)
    .orderBy(lastFirst)
    .limit(1);
  return mapStatements(
    joinStatements(
      page,
      toStatements({ walked }, ({ walked: [last] }) => last),
    ),
    ([rows, last]) => ({
      posts: rows,
      lookedThrough: last?.count ?? 0,
      goesOnAfter:
        endOfCut(rows, limit) ?? (last !== undefined && last.count === count ? { due: last.due, id: last.id } : null),
    }),
  );
}

/** Reads the posts of a select of ids. */
function readInOrder(db: Database, workspaceId: In<string>, order: Order, matches: SQL): Statements<ListedPost[]> {
  const due = sql`COALESCE(${posts.dueAt}, ${posts.publishAt}, ${NEVER})`;
  const inOrder = order === "due" ? sql`${due}, ${posts.id}` : sql`${posts.id} DESC`;
  return readPage(db, workspaceId, sql`(SELECT id FROM ${matches})`, inOrder);
}

/** The position of the last row if more rows may follow because the row or byte limit was reached; otherwise null. */
function endOfCut(rows: ListedPost[], limit: number): DueCursor | null {
  const last = rows.at(-1);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  return last !== undefined && (rows.length === limit || bytes > PAGE_BYTES_MAX) ? toCursor(last) : null;
}

/** The position of a post in the order of times; the order `newest` uses only the id. */
export const toCursor = ({ post }: ListedPost): DueCursor => ({
  due: post.dueAt ?? post.publishAt ?? NEVER,
  id: post.id,
});
