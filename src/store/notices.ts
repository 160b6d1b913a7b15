// Notices: mails to members, each sent once. A trigger writes them with the events that they are about. One worker at a
// time handles a notice and records each member who was mailed, so the next worker sends no second mail.
import { and, asc, eq, isNotNull, isNull, lte, sql } from "drizzle-orm";
import { DAY_MS, MINUTE_MS } from "../domain/limits.ts";
import { batch } from "./db/batch.ts";
import { type Database, NOW } from "./db/db.ts";
import { channels, deliveries, events, notices, posts } from "./db/schema.ts";
import { inChannelOrder } from "./posts/posts.ts";

/** How long a worker keeps a notice after each mail: longer than the timeout of a mail server. */
const LEASE_MS = 5 * MINUTE_MS;
/** For how long a post gets no second notice of the same kind. Its deliveries end long before. */
const KEPT_MS = 30 * DAY_MS;

export type NoticeRow = typeof notices.$inferSelect;
/** A notice that is being mailed; `now`: when it was taken, by the database's clock. */
type TakenNotice = NoticeRow & { now: number };

const isWaiting = and(isNotNull(notices.nextAt), lte(notices.nextAt, NOW));

/** Workspaces that have notices waiting. */
export async function workspacesToNotify(db: Database, limit: number): Promise<string[]> {
  const rows = await db
    .select({ workspaceId: notices.workspaceId })
    .from(notices)
    .where(isWaiting)
    .orderBy(asc(notices.nextAt))
    .limit(limit);
  return [...new Set(rows.map(({ workspaceId }) => workspaceId))];
}

/** Takes the longest waiting notice of a workspace; undefined: no notice waits. */
export async function takeNotice(db: Database, workspaceId: string): Promise<TakenNotice | undefined> {
  const next = sql`(SELECT kind, subject FROM ${notices} WHERE ${notices.workspaceId} = ${workspaceId} AND ${isWaiting}
    ORDER BY ${notices.nextAt}, ${notices.kind}, ${notices.subject} LIMIT 1)`;
  const [notice] = await db
    .update(notices)
    .set({ nextAt: sql`${NOW} + ${LEASE_MS}`, attempts: sql`${notices.attempts} + 1` })
    .where(and(eq(notices.workspaceId, workspaceId), sql`(${notices.kind}, ${notices.subject}) IN ${next}`))
    .returning();
  // The database's time, computed back from the end of the lease.
  return notice && { ...notice, now: (notice.nextAt ?? 0) - LEASE_MS };
}

/** True of a notice while this worker was the last one to take it. */
const isTakenByUs = ({ workspaceId, kind, subject, attempts }: NoticeRow) =>
  and(
    eq(notices.workspaceId, workspaceId),
    eq(notices.kind, kind),
    eq(notices.subject, subject),
    eq(notices.attempts, attempts),
  );

/** Records that a member was mailed. Idempotent. Returns false if another worker has taken the notice. */
export async function noteMailed(db: Database, notice: NoticeRow, userId: string): Promise<boolean> {
  const isMailed = sql`EXISTS (SELECT 1 FROM json_each(${notices.mailed}) WHERE value = ${userId})`;
  const rows = await db
    .update(notices)
    .set({
      nextAt: sql`${NOW} + ${LEASE_MS}`,
      mailed: sql`CASE WHEN ${isMailed} THEN ${notices.mailed} ELSE json_insert(${notices.mailed}, '$[#]', ${userId}) END`,
    })
    .where(isTakenByUs(notice))
    .returning({ kind: notices.kind });
  return rows.length === 1;
}

/** Ends a notice: every member was mailed, or it is too late. */
export async function endNotice(db: Database, notice: NoticeRow): Promise<void> {
  await db.update(notices).set({ nextAt: null }).where(isTakenByUs(notice));
}

/** Gives a notice back, to be taken again in `ms`. */
export async function putOffNotice(db: Database, notice: NoticeRow, ms: number): Promise<void> {
  await db
    .update(notices)
    .set({ nextAt: sql`${NOW} + ${ms}` })
    .where(isTakenByUs(notice));
}

/** Deletes up to `limit` notices that ended long ago. */
export async function forgetNotices(db: Database, limit: number): Promise<void> {
  await db.delete(notices).where(
    sql`(${notices.workspaceId}, ${notices.kind}, ${notices.subject}) IN (SELECT old.workspace_id, old.kind, old.subject
      FROM notices AS old WHERE old.created_at < ${NOW} - ${KEPT_MS} LIMIT ${limit})`,
  );
}

/**
 * The content of a notice about a post: its deliveries with their channels, and the reasons why the waiting ones would
 * fail, oldest first.
 */
export async function readPostOfNotice(db: Database, { workspaceId, subject }: NoticeRow) {
  const ofPost = and(eq(deliveries.workspaceId, workspaceId), eq(deliveries.postId, subject));
  // Without the hint, SQLite reads the whole history.
  const risks = sql`(SELECT other.seq FROM ${events} AS other INDEXED BY events_once WHERE other.workspace_id = ${workspaceId}
    AND other.post_id = ${subject} AND other.event <> 'delivery.succeeded' AND other.event = 'delivery.at_risk')`;
  const {
    post: [post],
    deliveries: deliveryRows,
    risks: riskRows,
  } = await batch(db, {
    post: db
      .select({
        id: posts.id,
        status: posts.status,
        series: posts.series,
        repeatState: posts.repeatState,
        text: posts.text,
        channels: posts.channels,
        publishAt: posts.publishAt,
        dueAt: posts.dueAt,
        timezone: posts.timezone,
      })
      .from(posts)
      .where(and(eq(posts.workspaceId, workspaceId), eq(posts.id, subject))),
    deliveries: db
      .select({
        channelId: deliveries.channelId,
        platform: deliveries.platform,
        state: deliveries.state,
        lastTry: deliveries.lastTry,
        handle: channels.handle,
      })
      .from(deliveries)
      .innerJoin(channels, and(eq(channels.workspaceId, deliveries.workspaceId), eq(channels.id, deliveries.channelId)))
      .where(ofPost),
    risks: db
      .select({ channelId: events.channelId, body: events.body })
      .from(events)
      .where(and(eq(events.workspaceId, workspaceId), sql`${events.seq} IN ${risks}`))
      .orderBy(asc(events.seq)),
  });
  return post && { post, deliveries: inChannelOrder(post, deliveryRows), risks: riskRows };
}
export type PostOfNotice = NonNullable<Awaited<ReturnType<typeof readPostOfNotice>>>;

/** The event that a notice is about, as the event feed shows it; undefined: it was deleted. */
export async function readEventOfNotice(
  db: Database,
  { workspaceId, eventSeq }: NoticeRow,
): Promise<string | undefined> {
  const [row] = await db
    .select({ body: events.body })
    .from(events)
    .where(and(eq(events.workspaceId, workspaceId), eq(events.seq, eventSeq)));
  return row?.body;
}

/** The current channel of an event; undefined: it was removed. */
export async function readChannelOfNotice(db: Database, { workspaceId, eventSeq }: NoticeRow) {
  const [row] = await db
    .select({
      platform: channels.platform,
      handle: channels.handle,
      tokenExpiresAt: channels.tokenExpiresAt,
      body: events.body,
    })
    .from(events)
    .innerJoin(channels, and(eq(channels.workspaceId, events.workspaceId), eq(channels.id, events.channelId)))
    .where(and(eq(events.workspaceId, workspaceId), eq(events.seq, eventSeq), isNull(channels.removedAt)));
  return row;
}
