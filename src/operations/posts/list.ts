import type { listPosts as contract } from "../../contract/list-posts.ts";
import type { Input } from "../../contract/operation.ts";
import { readDayOrInstant } from "../../domain/instant.ts";
import { storedWords, wordsOf } from "../../domain/posts/words.ts";
import { readTimezone } from "../../store/accounts/workspaces.ts";
import { ask, type BatchPart, mapPart } from "../../store/db/batch.ts";
import { type Finding, type Found, findPosts } from "../../store/posts/find.ts";
import { readPosts } from "../../store/posts/posts.ts";
import { type DuePlace, NEVER } from "../../store/posts/walks.ts";
import { cursorAfter, cursorAtText, readCursor, readText, startOf } from "../cursor.ts";
import { ok, type ReadThenRun } from "../run.ts";
import { postView } from "./view.ts";

type Query = Input<typeof contract>["query"];
/** The page, or the zone in which its dates are read. */
type First = { found: Found } | { timezone: string };

export const listPosts: ReadThenRun<typeof contract, First> = {
  read(_ctx, db, workspaceId, { query }): BatchPart<First> {
    const after = readPlaceOf(query);
    if (isPlain(query)) {
      const wanted = { status: query.status ?? null, limit: query.limit + 1, before: after?.id ?? null };
      return mapPart(readPosts(db, workspaceId, wanted), (posts) => ({
        found: { posts, lookedThrough: null, stoppedAt: null },
      }));
    }
    return mapPart(readTimezone(db, workspaceId), (timezone) => ({ timezone }));
  },
  async run(ctx, { workspaceId }, { query }, first) {
    const db = ctx.databaseOf(workspaceId);
    const finding = "timezone" in first ? findingOf(query, first.timezone) : null;
    const { posts, lookedThrough, stoppedAt } =
      "found" in first ? first.found : await ask(db, findPosts(db, workspaceId, findingOf(query, first.timezone)));
    const page = startOf(posts, query.limit, ({ bytes }) => bytes);
    const last = page.at(-1)?.post;
    const end = posts.length > page.length && last !== undefined ? { due: dueOf(last), id: last.id } : stoppedAt;
    // An earlier release stored no words with its posts: those are compared here.
    const isFound = ({ post, hasWords }: Found["posts"][number]) =>
      hasWords || (finding?.words ?? []).every((word) => storedWords(post).includes(` ${word} `));
    return ok({
      posts: page.filter(isFound).map((row) => postView(row)),
      next:
        end === null ? null : query.order === "due" ? cursorAtText("due", `${end.due} ${end.id}`) : cursorAfter(end.id),
      looked_through: lookedThrough,
    });
  },
};

const dueOf = ({ dueAt, publishAt }: Found["posts"][number]["post"]) => dueAt ?? publishAt ?? NEVER;

/** Whether a page is the newest posts of a status, or of all but the drafts. */
const isPlain = ({ from, to, channel, platform, label, q, order }: Query) =>
  order === "newest" && [from, to, channel, platform, label, q].every((filter) => filter === undefined);

/** Where the page before ended; null: this is the first. Throws `unreadable_cursor`. */
function readPlaceOf({ cursor, order }: Query): DuePlace | null {
  if (order === "newest") {
    const id = readCursor(cursor, "post");
    return id === null ? null : { due: 0, id };
  }
  const place = readText(cursor, "due");
  if (place === null) return null;
  const [, due = "", id = ""] = /^(\d{1,16}) (\S+)$/.exec(place) ?? [];
  return { due: Number(due), id: readCursor(cursorAfter(id) ?? undefined, "post") ?? "" };
}

function findingOf(query: Query, timezone: string): Finding {
  const { status = null, channel = null, platform = null, label = null, q = "", order, limit } = query;
  const read = (value: string | undefined, field: string) =>
    value === undefined ? null : readDayOrInstant(value, timezone, field);
  const [from, to] = [read(query.from, "/from"), read(query.to, "/to")];
  return {
    status,
    range: from === null && to === null ? null : { from: Math.max(from ?? 0, 0), to: to ?? NEVER },
    channel,
    platform,
    label,
    words: [...new Set(wordsOf(q))],
    order,
    limit: limit + 1,
    after: readPlaceOf(query),
  };
}
