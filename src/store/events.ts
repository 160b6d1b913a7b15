// The outbox as its readers see it. Its order is that of the commits, so a reader who remembers its position misses
// nothing.

import { and, asc, desc, eq, gt, lt, notInArray, type SQL, sql } from "drizzle-orm";
import { CHANNEL_EVENTS } from "../domain/event.ts";
import type { EventRecord } from "../domain/event-body.ts";
import { EVENTS_KEPT_MS } from "../domain/limits.ts";
import { batch } from "./db/batch.ts";
import { type Database, insertFrom, NOW, type RowIn } from "./db/db.ts";
import { nextWorkspaces } from "./db/next-workspaces.ts";
import { deliveries, events, workspaces } from "./db/schema.ts";
import { COUNTED_TOGETHER } from "./metrics.ts";

export interface EventFilter {
  event: string | null;
  post: string | null;
  channel: string | null;
  /** The id of the actor. */
  actor: string | null;
  /** The only channels whose events the caller may see; null: all. */
  reach: readonly string[] | null;
  /** Whether events of channels are listed, too. */
  hasChannels: boolean;
  order: "newest" | "oldest";
  /** The position after which the page begins, in that order; null: start at the beginning. */
  after: number | null;
  limit: number;
}
interface StoredEvent {
  /** Its position in the feed. */
  seq: number;
  /** JSON, as it was written with the transition. */
  body: string;
}

/**
 * The statement that adds `event` to the feed of its workspace once for each row of `from` (`FROM ... WHERE ...`); an
 * existing event is not added again. `order`: the order of these events, if it matters. Successes are in no unique
 * index, so their `from` must hold only once.
 */
export function insertEvents(
  db: Database,
  event: RowIn<EventRecord & { workspaceId: string; postId: string | null; channelId: string; dedupeKey: number }>,
  from: SQL,
  order = sql`1`,
) {
  // The positions after the last one. The newest event of a workspace is only deleted with the workspace, but a restore
  // may have removed events that readers have seen.
  const last = sql`MAX(COALESCE((SELECT MAX(fed.seq) FROM ${events} AS fed WHERE fed.workspace_id = ${event.workspaceId}), 0),
    COALESCE((SELECT fed.feed_from FROM ${workspaces} AS fed WHERE fed.id = ${event.workspaceId}), 0))`;
  const seq = sql`${last} + ROW_NUMBER() OVER (PARTITION BY ${event.workspaceId} ORDER BY ${order})`;
  return insertFrom(db, events, { ...event, seq }, from).onConflictDoNothing();
}

/**
 * How many events the first statement of a page searches if it filters by channels or actor, because an index for these
 * filters would cost a row for each event. Each further statement searches four times as many.
 */
const FIRST_WINDOW = 5_000;
const LAST_WINDOW = 80_000;

/** True of the events in the index `events_once`. */
export const isIndexed = sql`${events.event} <> 'delivery.succeeded'`;

export interface EventPage {
  /** As many as were requested, unless fewer are left. */
  events: StoredEvent[];
  /** The last position that was searched, if all events were searched; null: an index covered the filters. */
  lookedAtLast: number | null;
}

/** A page of the feed of a workspace. */
export async function listEvents(db: Database, workspaceId: string, filter: EventFilter): Promise<EventPage> {
  const { post, channel, actor, reach, limit } = filter;
  if (post !== null || (channel === null && actor === null && reach === null)) {
    return {
      events: await selectEvents(db, workspaceId, filter, eventsByIndex(workspaceId, filter)),
      lookedAtLast: null,
    };
  }
  const matchingEvents: StoredEvent[] = [];
  let after = filter.after;
  for (let count = FIRST_WINDOW; ; count = Math.min(4 * count, LAST_WINDOW)) {
    const windowFilter = { ...filter, after, limit: limit - matchingEvents.length };
    const { events: windowEvents, looked, last } = await readWindow(db, workspaceId, windowFilter, count);
    matchingEvents.push(...windowEvents);
    after = last ?? after;
    if (looked < count || matchingEvents.length >= limit) return { events: matchingEvents, lookedAtLast: after };
  }
}

/** The conditions that each filter puts on a row of `events`. */
const matches = ({ event, channel, actor, reach, hasChannels }: EventFilter) =>
  and(
    event === null ? undefined : eq(events.event, event),
    event !== null && event !== COMMON ? isIndexed : undefined,
    channel === null ? undefined : eq(events.channelId, channel),
    actor === null ? undefined : sql`${events.body} ->> '$.actor.id' = ${actor}`,
    reach === null ? undefined : sql`${events.channelId} IN (SELECT value FROM json_each(${JSON.stringify(reach)}))`,
    hasChannels ? undefined : notInArray(events.event, [...CHANNEL_EVENTS]),
  );

/** The events after the position where a page begins. */
const isAhead = (workspaceId: string, { order, after }: EventFilter) =>
  and(
    eq(events.workspaceId, workspaceId),
    after === null ? undefined : order === "newest" ? lt(events.seq, after) : gt(events.seq, after),
  );
const sortedBy = ({ order }: EventFilter) => (order === "newest" ? desc(events.seq) : asc(events.seq));

/** A select of the positions of a page that an index covers. */
function eventsByIndex(workspaceId: string, filter: EventFilter): SQL {
  const { event, post, limit } = filter;
  // Each filter has its index, and the feed is the table itself. Without the hint, SQLite reads the whole history.
  const index = post === null ? chooseIndex(event) : null;
  const indexed = index === null ? sql`` : sql`INDEXED BY ${sql.identifier(index)}`;
  const ofPost = post === null ? undefined : sql`${events.seq} IN ${selectSeqsOfPost(workspaceId, post)}`;
  return sql`(SELECT ${events.seq} FROM ${events} ${indexed} WHERE ${and(ofPost, isAhead(workspaceId, filter), matches(filter))}
    ORDER BY ${sortedBy(filter)} LIMIT ${limit})`;
}

/** The statement that reads the events at the positions of a select. */
const selectEvents = (db: Database, workspaceId: string, filter: EventFilter, seqs: SQL) =>
  db
    .select({ seq: events.seq, body: events.body })
    .from(events)
    .where(and(eq(events.workspaceId, workspaceId), sql`${events.seq} IN ${seqs}`))
    .orderBy(sortedBy(filter));

/**
 * The matching events among the next `count`; the number of events that were searched, and the last of their positions.
 */
async function readWindow(
  db: Database,
  workspaceId: string,
  filter: EventFilter,
  count: number,
): Promise<{ events: StoredEvent[]; looked: number; last: number | null }> {
  const sorted = sortedBy(filter);
  const selectWindow = (columns: SQL) =>
    sql`(SELECT ${columns} FROM ${events} WHERE ${isAhead(workspaceId, filter)} ORDER BY ${sorted} LIMIT ${count}) AS events`;
  const seqs = sql`(SELECT ${events.seq} FROM ${selectWindow(sql`workspace_id, seq, event, post_id, channel_id, body`)}
    WHERE ${matches(filter)} ORDER BY ${sorted} LIMIT ${filter.limit})`;
  const edge = filter.order === "newest" ? sql`MIN(seq)` : sql`MAX(seq)`;
  const {
    rows,
    looked: [windowSummary],
  } = await batch(db, {
    rows: selectEvents(db, workspaceId, filter, seqs),
    looked: db.select({ count: sql<number>`COUNT(*)`, last: sql<number | null>`${edge}` }).from(selectWindow(sql`seq`)),
  });
  return { events: rows, looked: windowSummary?.count ?? 0, last: windowSummary?.last ?? null };
}

/** The positions of all events of a post: its deliveries name the positions of their success events. */
const selectSeqsOfPost = (workspaceId: string, post: string) => sql`(
  SELECT other.seq FROM ${events} AS other INDEXED BY events_once
    WHERE other.workspace_id = ${workspaceId} AND other.post_id = ${post} AND other.event <> 'delivery.succeeded'
  UNION ALL
  SELECT ${deliveries.successSeq} FROM ${deliveries}
    WHERE ${deliveries.workspaceId} = ${workspaceId} AND ${deliveries.postId} = ${post} AND ${deliveries.successSeq} IS NOT NULL)`;

const COMMON = "delivery.succeeded";
const chooseIndex = (event: string | null) => (event === null || event === COMMON ? null : "events_by_name");

/**
 * Looks at the next `limit` workspaces after `after`, and returns those whose first event is older than the retention
 * period. `last`: the last one that it looked at; null: no workspaces are left.
 */
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
 * Looks at the first `limit` events of a workspace, and deletes those older than the retention period, but never the
 * newest ones: the next event takes its position from them, and they are not counted yet (-> metrics.ts). Returns how
 * many.
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
