import type { Caller, Context } from "../../context.ts";
import type { listPosts as contract } from "../../contract/list-posts.ts";
import type { Input } from "../../contract/operation.ts";
import { readDayOrInstant } from "../../domain/instant.ts";
import { splitWords, storedWords } from "../../domain/posts/words.ts";
import { readTimezone } from "../../store/accounts/workspaces.ts";
import { ask, mapStatements, type Statements } from "../../store/db/batch.ts";
import { type Finding, type Found, findPosts, toCursor } from "../../store/posts/find.ts";
import type { ListedPost } from "../../store/posts/posts.ts";
import { type DueCursor, NEVER } from "../../store/posts/walks.ts";
import { postView } from "../../views/post.ts";
import type { WorkspaceCaller } from "../caller.ts";
import { cursorAfter, readCursor, takePageRows } from "../cursor.ts";
import { getReachableChannels, reachesPost } from "../reach.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { readDueCursor, writeDueCursor } from "./due-cursor.ts";

type Query = Input<typeof contract>["query"];
/** The page, or the time zone in which its dates are read. */
type First = { found: Found } | { timezone: string };

export const listPosts: ReadThenRun<typeof contract, First> = {
  read(ctx, db, workspaceId, { query }): Statements<First> {
    const finding = hasDates(query) ? null : buildFinding(query, "UTC", ctx.now());
    return finding === null
      ? mapStatements(readTimezone(db, workspaceId), (timezone) => ({ timezone }))
      : mapStatements(findPosts(db, workspaceId, finding), (page) => ({ found: page }));
  },
  async run(ctx, caller, { query }, first) {
    const { workspaceId } = caller;
    const db = ctx.databaseOf(workspaceId);
    const finding = buildFinding(query, "timezone" in first ? first.timezone : "UTC", ctx.now());
    const page = "found" in first ? first.found : await ask(db, findPosts(db, workspaceId, finding));
    const { posts, lookedThrough, next } = await fillPage(ctx, caller, finding, page);
    return ok({
      posts: posts.map((row) => postView(ctx, row)),
      next: next === null ? null : query.order === "due" ? writeDueCursor(next) : cursorAfter(next.id),
      looked_through: lookedThrough,
    });
  },
};

interface FilledPage {
  posts: ListedPost[];
  /** How many posts were compared; null: an index covered all filters. */
  lookedThrough: number | null;
  /** Where the next page begins; null: this is the last page. */
  next: DueCursor | null;
}

/** Continues after the posts that were found first, until the page is full or no posts are left. */
async function fillPage(ctx: Context, caller: WorkspaceCaller, finding: Finding, first: Found): Promise<FilledPage> {
  const { workspaceId } = caller;
  const db = ctx.databaseOf(workspaceId);
  const matching: ListedPost[] = [];
  let lookedThrough = getReachableChannels(caller) === null ? null : 0;
  let page = first;
  for (let statements = 1; ; statements++) {
    matching.push(...matchingPosts(caller, finding, page));
    const examinedCount = page.lookedThrough ?? (lookedThrough === null ? null : page.posts.length);
    if (examinedCount !== null) lookedThrough = (lookedThrough ?? 0) + examinedCount;
    // The query asked for one post more than the page holds.
    const posts = takePageRows(matching, finding.limit - 1, ({ bytes }) => bytes);
    const last = posts.at(-1);
    if (matching.length > posts.length && last !== undefined) return { posts, lookedThrough, next: toCursor(last) };
    if (page.goesOnAfter === null) return { posts, lookedThrough, next: null };
    page = await ask(db, findPosts(db, workspaceId, { ...finding, after: page.goesOnAfter }, statements));
  }
}

/** The found posts that the caller may see. */
export function matchingPosts(caller: Caller, { words }: Finding, { posts }: Found): ListedPost[] {
  // An earlier release stored no words with its posts; these posts are compared here.
  const hasWords = (row: ListedPost) =>
    row.hasWords || words.every((word) => storedWords(row.post).includes(` ${word} `));
  return posts.filter((row) => reachesPost(caller, row) && hasWords(row));
}

/** Whether the query has a value that may be a date, which is read in the workspace's time zone. */
const hasDates = ({ from, to }: Query) => from !== undefined || to !== undefined;

/** The end of the previous page; null: this is the first page. Throws `unreadable_cursor`. */
function readPosition({ cursor, order }: Query): DueCursor | null {
  if (order === "newest") {
    const id = readCursor(cursor, "post");
    return id === null ? null : { due: 0, id };
  }
  return readDueCursor(cursor);
}

export function buildFinding(query: Query, timezone: string, now: number): Finding {
  const {
    status = null,
    channel = null,
    platform = null,
    label = null,
    media = null,
    author = null,
    attention,
    q = "",
    order,
    limit,
  } = query;
  const read = (value: string | undefined, field: string) =>
    value === undefined ? null : readDayOrInstant(value, timezone, field);
  const [from, to] = [read(query.from, "/from"), read(query.to, "/to")];
  return {
    status,
    range: from === null && to === null ? null : { from: Math.max(from ?? 0, 0), to: to ?? NEVER },
    channel,
    platform,
    label,
    media,
    author,
    needsAttention: attention,
    words: [...new Set(splitWords(q))],
    order,
    limit: limit + 1,
    now,
    after: readPosition(query),
  };
}
