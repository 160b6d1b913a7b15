// Feeds whose new items become posts.
import { and, asc, desc, eq, lt, lte, sql } from "drizzle-orm";
import type { AuditEntry } from "../domain/audit.ts";
import { recordWorkspaceAct } from "./audit.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom, NOW } from "./db/db.ts";
import { feeds } from "./db/schema.ts";

export type FeedRow = typeof feeds.$inferSelect;

const isFeed = (workspaceId: string, id: string) => and(eq(feeds.workspaceId, workspaceId), eq(feeds.id, id));

/** A page of feeds, newest first, below the id `before`. */
export async function listFeeds(
  db: Database,
  workspaceId: string,
  { limit, before }: { limit: number; before: string | null },
): Promise<FeedRow[]> {
  return db
    .select()
    .from(feeds)
    .where(and(eq(feeds.workspaceId, workspaceId), before === null ? undefined : lt(feeds.id, before)))
    .orderBy(desc(feeds.id))
    .limit(limit);
}

export async function getFeed(db: Database, workspaceId: string, id: string): Promise<FeedRow | undefined> {
  const [row] = await db.select().from(feeds).where(isFeed(workspaceId, id));
  return row;
}

/** Whether every channel of the list is connected in the workspace. */
const areConnected = (workspaceId: string, ids: readonly string[]) =>
  sql`NOT EXISTS (SELECT 1 FROM json_each(${JSON.stringify(ids)}) AS named WHERE NOT EXISTS (
    SELECT 1 FROM channels WHERE channels.workspace_id = ${workspaceId} AND channels.id = named.value
      AND channels.removed_at IS NULL))`;

/** Stores a feed if its channels are connected and the workspace has fewer than `max` feeds. Otherwise returns undefined. */
export async function insertFeed(
  db: Database,
  row: typeof feeds.$inferInsert,
  max: number,
  entry: AuditEntry,
): Promise<FeedRow | undefined> {
  const hasRoom = sql`(SELECT COUNT(*) FROM ${feeds} WHERE ${feeds.workspaceId} = ${row.workspaceId}) < ${max}`;
  const { rows } = await batch(db, {
    rows: insertFrom(
      db,
      feeds,
      row,
      sql`WHERE ${hasRoom} AND ${areConnected(row.workspaceId, row.channels)}`,
    ).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

/** Changes a feed. Returns undefined if there is no such feed, or if one of its new channels is not connected. */
export async function updateFeed(
  db: Database,
  id: string,
  change: Partial<typeof feeds.$inferInsert>,
  entry: AuditEntry,
): Promise<FeedRow | undefined> {
  const { rows } = await batch(db, {
    rows: db
      .update(feeds)
      .set(change)
      .where(and(isFeed(entry.workspaceId, id), areConnected(entry.workspaceId, change.channels ?? [])))
      .returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

/** Deletes a feed. Returns whether it existed. */
export async function deleteFeed(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db.delete(feeds).where(isFeed(entry.workspaceId, id)).returning({ id: feeds.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}

/** Feeds that are due to be read, the longest due first. */
export async function dueFeeds(db: Database, max: number): Promise<{ workspaceId: string; id: string }[]> {
  return db
    .select({ workspaceId: feeds.workspaceId, id: feeds.id })
    .from(feeds)
    .where(lte(feeds.nextReadAt, NOW))
    .orderBy(asc(feeds.nextReadAt))
    .limit(max);
}

/** Takes a due feed for `ms` milliseconds: only one reader gets it. Undefined: it is not due, or is taken. */
export async function takeFeed(
  db: Database,
  workspaceId: string,
  id: string,
  ms: number,
): Promise<FeedRow | undefined> {
  const [row] = await db
    .update(feeds)
    .set({ nextReadAt: sql`${NOW} + ${ms}` })
    .where(and(isFeed(workspaceId, id), lte(feeds.nextReadAt, NOW)))
    .returning();
  return row;
}

/** The outcome of a read. */
export interface FeedRead {
  seen: string[];
  validators: Record<string, string>;
  posts: number;
  problem: FeedRow["problem"];
  /** Milliseconds until the next read. */
  waitMs: number;
}

/** Records a read, unless the feed was changed, paused or deleted since it was taken. */
export async function recordFeedRead(
  db: Database,
  taken: FeedRow,
  { seen, validators, posts, problem, waitMs }: FeedRead,
): Promise<void> {
  await db
    .update(feeds)
    .set({
      seen,
      validators,
      posts: sql`${feeds.posts} + ${posts}`,
      problem,
      lastReadAt: NOW,
      nextReadAt: sql`CASE WHEN ${feeds.nextReadAt} IS ${taken.nextReadAt} THEN ${NOW} + ${waitMs} ELSE ${feeds.nextReadAt} END`,
    })
    .where(and(isFeed(taken.workspaceId, taken.id), eq(feeds.url, taken.url)));
}
