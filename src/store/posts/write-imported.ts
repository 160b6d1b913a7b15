// Writes any number of new posts with about a dozen statements, because D1 allows only a thousand statements in an
// invocation. Each statement gets its rows as one JSON parameter. The statement that inserts the posts decides which posts
// have room. The statements after it check which posts were written.
import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import { type Statements, toStatements } from "../db/batch.ts";
import { type Database, insertFrom } from "../db/db.ts";
import { insertCells, toCells } from "../db/insert-rows.ts";
import { deliveries, events, idempotencyKeys, media, mediaUses, posts, usageMonths, workspaces } from "../db/schema.ts";
import { insertEvents, isIndexed } from "../events.ts";
import { type Inspection, type MediaRow, noteInspections } from "../media/media.ts";
import { endpointsToNotify, fanOut } from "../webhooks/messages.ts";
import { setExpiry } from "./media-uses.ts";
import { countedWith, type MadePost, type NewPost } from "./new-post.ts";
import { selectPosts, withDeliveries } from "./posts.ts";
import { importedPostFits } from "./spending.ts";

/** A post to write, with the files that are created with it. */
export interface ImportedPost {
  post: NewPost;
  files: MediaRow[];
}

/** `buildInputSource` selects the rows of a JSON parameter as `input`. `field` is a field of such a row. */
const buildInputSource = (rows: unknown[]) => sql`json_each(${JSON.stringify(rows)}) AS input`;
const field = (name: string) => sql`(input.value ->> ${sql.raw(`'$.${name}'`)})`;

/**
 * The statements that write posts of one workspace, in order. The result has undefined for a post that has no room or whose
 * file is gone. The statements fail on `idempotency_keys.workspace_id` if a key was used in the meantime.
 */
export function writeImported(
  db: Database,
  workspaceId: string,
  imported: [ImportedPost, ...ImportedPost[]],
): Statements<(MadePost | undefined)[]> {
  const newPosts = imported.map(({ post }) => post);
  const isWritten = (id: SQL) =>
    sql`EXISTS (SELECT 1 FROM ${posts} WHERE ${posts.workspaceId} = ${workspaceId} AND ${posts.id} = ${id})`;
  const ids = sql`(SELECT value FROM json_each(${JSON.stringify(newPosts.map(({ post }) => post.id))}))`;
  const statements = {
    files: insertFiles(
      db,
      imported.flatMap(({ files }) => files),
    ),
    posts: insertPosts(db, workspaceId, newPosts),
    deliveries: insertAllDeliveries(db, workspaceId, newPosts, isWritten),
    uses: takeAllFiles(db, workspaceId, newPosts, isWritten),
    drafts: countAllDrafts(db, workspaceId, newPosts, isWritten),
    month: countAllPosts(db, workspaceId, newPosts, isWritten),
    keys: insertKeys(db, workspaceId, newPosts, isWritten),
    ...tellOfAll(db, workspaceId, newPosts, isWritten),
    made: selectPosts(db, and(eq(posts.workspaceId, workspaceId), sql`${posts.id} IN ${ids}`)),
    inspections: noteInspections(db, workspaceId, collectInspections(newPosts)),
  };
  return toStatements(statements, ({ made, messages }) => {
    const rows = new Map(made.map((row) => [row.id, row]));
    return newPosts.map(({ post, news }) => {
      const row = rows.get(post.id);
      const notified = messages.flat().filter(({ eventId }) => eventId === news?.event.id);
      return row && { written: withDeliveries(row), notify: endpointsToNotify(notified) };
    });
  });
}

type Written = (id: SQL) => SQL;

/** The statement that stores new files. A file that already exists is not changed. */
export function insertFiles(db: Database, files: MediaRow[]) {
  if (files.length === 0) return [];
  const rows = files.map((file) => toCells(media, file));
  return [
    insertCells(db, media, sql`input.value`, sql`FROM ${buildInputSource(rows)} WHERE TRUE`).onConflictDoNothing(),
  ];
}

/**
 * Inserts the posts whose files can be used (`canTakeFiles`), if the limits of the month and of drafts leave room for them.
 * The sum of all earlier posts counts, including posts that do not fit. So after a post that does not fit, a smaller post may
 * be left out too.
 */
function insertPosts(db: Database, workspaceId: string, newPosts: NewPost[]) {
  const [first] = newPosts;
  const month = newPosts.find(({ post }) => post.countedMonth != null)?.post.countedMonth ?? null;
  const { draftsMax = null, bytesMax = null } = first?.draft.room ?? {};
  const rows = newPosts.map(({ post, key, mediaUsed, inspections, spend, draft: { growth } }) => ({
    cells: toCells(posts, {
      ...post,
      ...countedWith(post, spend),
      draftBytes: growth.bytes,
      idempotencyKey: key?.key ?? null,
    }),
    files: mediaUsed,
    seen: inspections.map(({ id, etag }) => ({ id, etag })),
    counted: post.countedMonth == null ? 0 : 1,
    cost: post.countedMonth == null ? 0 : spend.cost,
    drafts: growth.drafts,
    bytes: growth.bytes,
  }));
  const ofFile = sql`${media.workspaceId} = ${workspaceId} AND ${media.id}`;
  const isUsable = sql`NOT EXISTS (SELECT 1 FROM json_each(input.value, '$.files') AS file WHERE NOT EXISTS (SELECT 1 FROM ${media}
      WHERE ${ofFile} = file.value AND ${media.state} <> 'expired'))
    AND NOT EXISTS (SELECT 1 FROM json_each(input.value, '$.seen') AS file CROSS JOIN ${media}
      WHERE ${ofFile} = file.value ->> 'id' AND ${media.etag} <> file.value ->> 'etag')`;
  const soFar = (name: string) => sql`SUM(${field(name)}) OVER (ORDER BY input.key) AS ${sql.raw(name)}`;
  const fits = (usedAmount: SQLWrapper, addedAmount: SQL, max: number | null) =>
    sql`(${max} IS NULL OR ${usedAmount} + ${addedAmount} <= ${max})`;
  const used = sql`COALESCE((SELECT ${usageMonths.posts} FROM ${usageMonths}
    WHERE ${usageMonths.workspaceId} = ${workspaceId} AND ${usageMonths.month} = ${month}), 0)`;
  // The same caller imports all posts, so the budgets of the first post apply to all of them.
  const budgetsFit = importedPostFits(workspaceId, month, first?.spend.budgets ?? [], sql`input.cost`);
  return insertCells(
    db,
    posts,
    sql`(input.value -> '$.cells')`,
    sql`FROM (SELECT input.key AS key, input.value AS value, ${soFar("counted")}, ${soFar("cost")}, ${soFar("drafts")}, ${soFar("bytes")}
        FROM ${buildInputSource(rows)} WHERE ${isUsable}) AS input
      WHERE (${field("counted")} = 0 OR ${fits(used, sql`input.counted`, first?.postsMax ?? null)})
        AND (${field("cost")} = 0 OR (${budgetsFit}))
        AND (${field("drafts")} = 0 OR EXISTS (SELECT 1 FROM ${workspaces} WHERE ${workspaces.id} = ${workspaceId}
          AND ${fits(workspaces.drafts, sql`input.drafts`, draftsMax)}
          AND ${fits(workspaces.draftBytes, sql`input.bytes`, bytesMax)}))
      ORDER BY input.key`,
  );
}

function insertAllDeliveries(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post, deliveries: ofPost, times }) =>
    ofPost.map((delivery) => ({ ...delivery, post: post.id, dueAt: delivery.at ?? times.base })),
  );
  if (rows.length === 0) return [];
  const from = sql`FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))}`;
  const row = {
    workspaceId,
    postId: field("post"),
    channelId: field("channelId"),
    id: field("id"),
    platform: field("platform"),
    state: "pending",
    version: 1,
    scheduledFor: field("dueAt"),
    nextAt: field("dueAt"),
    terms: field("terms"),
  } as const;
  return [insertFrom(db, deliveries, row, from)];
}

function takeAllFiles(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post, mediaUsed }) => mediaUsed.map((file) => ({ post: post.id, file })));
  if (rows.length === 0) return [];
  const from = sql`FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))}`;
  return [
    insertFrom(db, mediaUses, { workspaceId, mediaId: field("file"), postId: field("post") }, from),
    setExpiry(db, sql`SELECT ${workspaceId}, ${field("file")} ${from}`, sql`NULL`, sql`TRUE`),
  ];
}

function countAllDrafts(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post, draft: { growth } }) =>
    growth.drafts === 0 ? [] : [{ post: post.id, ...growth }],
  );
  if (rows.length === 0) return [];
  const sum = (name: string) =>
    sql`(SELECT COALESCE(SUM(${field(name)}), 0) FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))})`;
  const drafts = sql`${workspaces.drafts} + ${sum("drafts")}`;
  const draftBytes = sql`${workspaces.draftBytes} + ${sum("bytes")}`;
  return [db.update(workspaces).set({ drafts, draftBytes }).where(eq(workspaces.id, workspaceId))];
}

function countAllPosts(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post }) =>
    post.countedMonth == null ? [] : [{ post: post.id, month: post.countedMonth }],
  );
  if (rows.length === 0) return [];
  const from = sql`FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))} GROUP BY ${field("month")}`;
  return [
    insertFrom(db, usageMonths, { workspaceId, month: field("month"), posts: sql`COUNT(*)` }, from).onConflictDoUpdate({
      target: [usageMonths.workspaceId, usageMonths.month],
      set: { posts: sql`${usageMonths.posts} + excluded.posts` },
    }),
  ];
}

function insertKeys(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post, key }) =>
    key === null ? [] : [{ post: post.id, at: post.createdAt, ...key }],
  );
  if (rows.length === 0) return [];
  const row = {
    workspaceId,
    key: field("key"),
    fingerprint: field("fingerprint"),
    postId: field("post"),
    createdAt: field("at"),
  };
  return [insertFrom(db, idempotencyKeys, row, sql`FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))}`)];
}

/** The events of posts that wait for approval, and the messages about these events to endpoints. */
function tellOfAll(db: Database, workspaceId: string, newPosts: NewPost[], isWritten: Written) {
  const rows = newPosts.flatMap(({ post, news }) =>
    news === null ? [] : [{ post: post.id, rev: news.rev, ...news.event }],
  );
  if (rows.length === 0) return { news: [], messages: [] };
  const event = {
    workspaceId,
    id: field("id"),
    event: field("event"),
    body: field("body"),
    createdAt: field("createdAt"),
    postId: field("post"),
    channelId: "",
    dedupeKey: field("rev"),
  };
  return {
    news: [
      insertEvents(db, event, sql`FROM ${buildInputSource(rows)} WHERE ${isWritten(field("post"))}`, sql`input.key`),
    ],
    messages: [
      fanOut(
        db,
        sql`${buildInputSource(rows)} CROSS JOIN ${events}`,
        sql`${isIndexed} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} = ${field("post")}
          AND ${events.channelId} = '' AND ${events.dedupeKey} = ${field("rev")} AND ${events.event} = ${field("event")}
          AND ${events.id} = ${field("id")}`,
      ),
    ],
  };
}

/** The inspections of all posts, one for each file. Several posts may use the same file. */
const collectInspections = (newPosts: NewPost[]): Inspection[] => [
  ...new Map(newPosts.flatMap((post) => post.inspections).map((inspection) => [inspection.id, inspection])).values(),
];
