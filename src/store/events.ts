// The outbox as its readers see it. The order is that of the commits, so a reader who remembers its place misses nothing.

import { and, asc, desc, eq, gt, lt, type SQL, sql } from "drizzle-orm";
import type { EventRecord } from "../domain/event-body.ts";
import { EVENTS_KEPT_MS } from "../domain/limits.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db/db.ts";
import { nextWorkspaces } from "./db/next-workspaces.ts";
import { deliveries, events } from "./db/schema.ts";
import { COUNTED_TOGETHER } from "./metrics.ts";

export interface EventFilter {
  event: string | null;
  post: string | null;
  channel: string | null;
  /** The id of who did it. */
  actor: string | null;
  order: "newest" | "oldest";
  /** The place after which, in that order, the page begins; null: at its beginning. */
  after: number | null;
  limit: number;
}
interface StoredEvent {
  /** Its place in the log. */
  seq: number;
  /** JSON, as it was written with the transition. */
  body: string;
}

/**
 * The statement that adds `event` to the feed of its workspace once for each row of `from` (`FROM ... WHERE ...`); an event
 * that is there already is not added again. No index knows the successes: their `from` must hold only once.
 */
export function insertEvents(
  db: Database,
  event: RowIn<EventRecord & { workspaceId: string; postId: string | null; channelId: string; dedupeKey: number }>,
  from: SQL,
) {
  // The next places after the last; the newest event of a workspace is never deleted without the workspace.
  const last = sql`COALESCE((SELECT MAX(fed.seq) FROM ${events} AS fed WHERE fed.workspace_id = ${event.workspaceId}), 0)`;
  const seq = sql`${last} + ROW_NUMBER() OVER (PARTITION BY ${event.workspaceId})`;
  return insertFrom(db, events, { ...event, seq }, from).onConflictDoNothing();
}

/** Events that are looked through for those of one channel or of one actor: an index of them would cost a row for each event. */
const CHANNEL_WALK_MAX = 5_000;

/** True of the events that the index `events_once` has. */
export const isIndexed = sql`${events.event} <> 'delivery.succeeded'`;

export interface EventPage {
  events: StoredEvent[];
  /** The place up to which was looked, when that was not the end; only for one channel or actor. */
  reached: number | null;
}

/** A page of the feed of a workspace. Of one channel or actor it may be short, and yet not the last one. */
export async function listEvents(db: Database, workspaceId: string, filter: EventFilter): Promise<EventPage> {
  const { event, post, channel, actor, order, after, limit } = filter;
  const isWalk = post === null && (channel !== null || actor !== null);
  // Each filter has its index, and the feed is the table; left to itself, SQLite walks the whole history.
  const index = isWalk || post !== null ? null : indexOf(event);
  const indexed = index === null ? sql`` : sql`INDEXED BY ${sql.identifier(index)}`;
  const place = after === null ? undefined : order === "newest" ? lt(events.seq, after) : gt(events.seq, after);
  const matches = and(
    event === null ? undefined : eq(events.event, event),
    event !== null && event !== COMMON ? isIndexed : undefined,
    channel === null ? undefined : eq(events.channelId, channel),
    actor === null ? undefined : sql`${events.body} ->> '$.actor.id' = ${actor}`,
    sql`${events.event} <> 'channel.disconnected'`,
  );
  const ofFeed = and(eq(events.workspaceId, workspaceId), place);
  const sorted = order === "newest" ? desc(events.seq) : asc(events.seq);
  const walked = sql`(SELECT workspace_id, seq, event, post_id, channel_id, body FROM ${events} WHERE ${ofFeed} ORDER BY ${sorted} LIMIT ${CHANNEL_WALK_MAX}) AS events`;
  const limited = sql`ORDER BY ${sorted} LIMIT ${limit}`;
  const ofPost = post === null ? undefined : sql`${events.seq} IN ${placesOfPost(workspaceId, post)}`;
  const page = isWalk
    ? sql`(SELECT ${events.seq} FROM ${walked} WHERE ${matches} ${limited})`
    : sql`(SELECT ${events.seq} FROM ${events} ${indexed} WHERE ${and(ofPost, ofFeed, matches)} ${limited})`;
  const {
    rows,
    ends: [end],
  } = await batch(db, {
    rows: db
      .select({ seq: events.seq, body: events.body })
      .from(events)
      .where(and(eq(events.workspaceId, workspaceId), sql`${events.seq} IN ${page}`))
      .orderBy(sorted),
    ends: db
      .select({ seq: events.seq })
      .from(events)
      .where(and(ofFeed, isWalk ? undefined : sql`FALSE`))
      .orderBy(sorted)
      .limit(1)
      .offset(CHANNEL_WALK_MAX - 1),
  });
  return { events: rows, reached: end?.seq ?? null };
}

/** The places of all events of a post: its deliveries name those of their successes. */
const placesOfPost = (workspaceId: string, post: string) => sql`(
  SELECT other.seq FROM ${events} AS other INDEXED BY events_once
    WHERE other.workspace_id = ${workspaceId} AND other.post_id = ${post} AND other.event <> 'delivery.succeeded'
  UNION ALL
  SELECT ${deliveries.successSeq} FROM ${deliveries}
    WHERE ${deliveries.workspaceId} = ${workspaceId} AND ${deliveries.postId} = ${post} AND ${deliveries.successSeq} IS NOT NULL)`;

const COMMON = "delivery.succeeded";
const indexOf = (event: string | null) => (event === null || event === COMMON ? null : "events_by_name");

/** Of the next `limit` workspaces behind `after`, those whose first event is older than it is kept; `last`: null, there are no more. */
export async function workspacesWithOldEvents(
  db: Database,
  after: string,
  limit: number,
): Promise<{ workspaceIds: string[]; last: string | null }> {
  const first = sql`(SELECT created_at FROM ${events} AS fed WHERE fed.workspace_id = one.id ORDER BY fed.seq LIMIT 1)`;
  const rows = await db.all<{ id: string | null; old: number }>(
    sql`SELECT one.id, ${first} <= ${NOW} - ${EVENTS_KEPT_MS} AS old FROM ${nextWorkspaces(events, after, limit)} AS one`,
  );
  return {
    workspaceIds: rows.flatMap(({ id, old }) => (id !== null && old === 1 ? [id] : [])),
    last: rows.at(-1)?.id ?? null,
  };
}

/**
 * Deletes those of the first `limit` events of a workspace that are older than they are kept, but never its newest ones: the
 * next one takes its place from them, and they are not counted yet (-> metrics.ts). Returns how many.
 */
export async function deleteOldEvents(db: Database, workspaceId: string, limit: number): Promise<number> {
  const newest = sql`(SELECT MAX(fed.seq) FROM ${events} AS fed WHERE fed.workspace_id = ${workspaceId})`;
  const old = sql`(SELECT seq FROM (SELECT fed.seq, fed.created_at FROM ${events} AS fed
      WHERE fed.workspace_id = ${workspaceId} ORDER BY fed.seq LIMIT ${limit})
    WHERE created_at <= ${NOW} - ${EVENTS_KEPT_MS} AND seq < ${newest} / ${COUNTED_TOGETHER} * ${COUNTED_TOGETHER})`;
  const deleted = await db
    .delete(events)
    .where(and(eq(events.workspaceId, workspaceId), sql`${events.seq} IN ${old}`))
    .returning({ seq: events.seq });
  return deleted.length;
}
