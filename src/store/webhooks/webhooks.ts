// Endpoints, what each still has to hear, and the log of its attempts.
import { and, asc, desc, eq, lt, lte, ne, type SQL, sql } from "drizzle-orm";
import { type DisabledReason, WEBHOOK_LOG_MS, type WebhookAnswer } from "../../domain/webhook.ts";
import { batch } from "../db/batch.ts";
import { type Database, insertFrom, NOW } from "../db/db.ts";
import {
  events,
  members,
  type PreviousSecret,
  users,
  webhookAttempts,
  webhookMessages,
  webhooks,
} from "../db/schema.ts";

export type WebhookRow = typeof webhooks.$inferSelect;
export type AttemptRow = typeof webhookAttempts.$inferSelect;

const isWebhook = (workspaceId: string, id: string) => and(eq(webhooks.workspaceId, workspaceId), eq(webhooks.id, id));

/** Stores an endpoint if the workspace has fewer than `max`. Returns undefined at the limit. */
export async function insertWebhook(
  db: Database,
  row: typeof webhooks.$inferInsert,
  max: number,
): Promise<WebhookRow | undefined> {
  const [written] = await insertFrom(
    db,
    webhooks,
    row,
    sql`WHERE (SELECT COUNT(*) FROM ${webhooks} WHERE ${webhooks.workspaceId} = ${row.workspaceId}) < ${max}`,
  ).returning();
  return written;
}

export async function getWebhook(db: Database, workspaceId: string, id: string): Promise<WebhookRow | undefined> {
  const [row] = await db.select().from(webhooks).where(isWebhook(workspaceId, id));
  return row;
}

/** Endpoints of a workspace, newest first, from before `before` (null: from the newest) on. */
export async function listWebhooks(
  db: Database,
  workspaceId: string,
  limit: number,
  before: string | null,
): Promise<WebhookRow[]> {
  return db
    .select()
    .from(webhooks)
    .where(and(eq(webhooks.workspaceId, workspaceId), before === null ? undefined : lt(webhooks.id, before)))
    .orderBy(desc(webhooks.id))
    .limit(limit);
}

/** Removes an endpoint with all that it still had to hear. Returns whether there was one. */
export async function removeWebhook(db: Database, workspaceId: string, id: string): Promise<boolean> {
  const rows = await db.delete(webhooks).where(isWebhook(workspaceId, id)).returning({ id: webhooks.id });
  return rows.length === 1;
}

/** Replaces an endpoint's secret, if it is still the one that was read. */
export async function replaceSecret(
  db: Database,
  row: WebhookRow,
  secret: string,
  previousSecrets: PreviousSecret[],
): Promise<boolean> {
  const rows = await db
    .update(webhooks)
    .set({ secret, previousSecrets })
    .where(and(isWebhook(row.workspaceId, row.id), eq(webhooks.secret, row.secret)))
    .returning({ id: webhooks.id });
  return rows.length === 1;
}

/**
 * The statement that gives events which are written, those of `from` (joined to `events`) `where`, to every endpoint that
 * wants them, and returns who is to hear of what; of one that is switched off it is noted as skipped.
 */
export function fanOut(db: Database, from: SQL, where: SQL) {
  const isOff = sql`${webhooks.disabledAt} IS NOT NULL`;
  return insertFrom(
    db,
    webhookMessages,
    {
      workspaceId: sql`${events.workspaceId}`,
      webhookId: sql`${webhooks.id}`,
      eventId: sql`${events.id}`,
      eventSeq: sql`${events.seq}`,
      state: sql`CASE WHEN ${isOff} THEN 'skipped' ELSE 'pending' END`,
      nextAt: sql`CASE WHEN ${isOff} THEN ${NOW} + ${WEBHOOK_LOG_MS} ELSE ${NOW} END`,
    },
    sql`FROM ${from} CROSS JOIN ${webhooks} WHERE ${where} AND ${webhooks.workspaceId} = ${events.workspaceId}
      AND EXISTS (SELECT 1 FROM json_each(${webhooks.events}) WHERE value = ${events.event})`,
  )
    .onConflictDoNothing()
    .returning({
      webhookId: webhookMessages.webhookId,
      eventId: webhookMessages.eventId,
      state: webhookMessages.state,
    });
}

/** `fanOut` of one event of a channel. */
export function fanOutOfChannel(
  db: Database,
  workspaceId: string,
  channelId: string,
  event: { id: string; event: string; createdAt: number },
) {
  return fanOut(
    db,
    sql`${events}`,
    sql`${events.workspaceId} = ${workspaceId} AND ${events.postId} IS NULL AND ${events.channelId} = ${channelId}
      AND ${events.fence} = ${event.createdAt} AND ${events.event} = ${event.event} AND ${events.id} = ${event.id}`,
  );
}

/** Of what a fan-out returned, the endpoints that have something to hear now. */
export const toHear = (rows: { webhookId: string; state: string }[]): string[] =>
  rows.filter(({ state }) => state === "pending").map(({ webhookId }) => webhookId);

/** A message that is in hand. */
export interface TakenMessage {
  webhook: WebhookRow;
  event: { id: string; event: string; body: string };
  /** Counted from 1. */
  attempt: number;
  now: number;
}

/** How long an attempt may take. */
const LEASE_MS = 60_000;

/** Takes the next message that an endpoint is due to hear; null when there is none. One that is switched off has none. */
export async function takeMessage(db: Database, workspaceId: string, webhookId: string): Promise<TakenMessage | null> {
  const ofEndpoint = and(
    eq(webhookMessages.workspaceId, workspaceId),
    eq(webhookMessages.webhookId, webhookId),
    eq(webhookMessages.state, "pending"),
  );
  const next = db
    .select({ id: webhookMessages.eventId })
    .from(webhookMessages)
    .where(and(ofEndpoint, lte(webhookMessages.nextAt, NOW)))
    .orderBy(asc(webhookMessages.nextAt), asc(webhookMessages.eventId))
    .limit(1);
  const {
    taken: [taken],
    webhook: [webhook],
  } = await batch(db, {
    taken: db
      .update(webhookMessages)
      .set({ nextAt: sql`${NOW} + ${LEASE_MS}`, attempts: sql`${webhookMessages.attempts} + 1` })
      .where(and(ofEndpoint, eq(webhookMessages.eventId, next)))
      .returning({ seq: webhookMessages.eventSeq, attempt: webhookMessages.attempts, now: NOW }),
    webhook: db.select().from(webhooks).where(isWebhook(workspaceId, webhookId)),
  });
  if (taken === undefined || webhook === undefined) return null;
  const [event] = await db
    .select({ id: events.id, event: events.event, body: events.body })
    .from(events)
    .where(and(eq(events.workspaceId, workspaceId), eq(events.seq, taken.seq)));
  return event === undefined ? null : { webhook, event, attempt: taken.attempt, now: taken.now };
}

/** Gives a message that was taken and not sent back, to be taken again from `nextAt` on. */
export async function giveBack(
  db: Database,
  { workspaceId, id }: WebhookRow,
  eventId: string,
  nextAt: number,
): Promise<void> {
  await db
    .update(webhookMessages)
    .set({ nextAt, attempts: sql`${webhookMessages.attempts} - 1` })
    .where(
      and(
        eq(webhookMessages.workspaceId, workspaceId),
        eq(webhookMessages.webhookId, id),
        eq(webhookMessages.eventId, eventId),
        eq(webhookMessages.state, "pending"),
      ),
    );
}

/** An attempt as it is logged. */
export interface LoggedAttempt {
  id: string;
  eventId: string;
  event: string;
  attempt: number;
  answer: WebhookAnswer;
  nextAt: number | null;
}

const logAttempt = (db: Database, { workspaceId, id }: WebhookRow, logged: LoggedAttempt) => {
  const { answer, nextAt, ...rest } = logged;
  return db
    .insert(webhookAttempts)
    .values({
      ...rest,
      workspaceId,
      webhookId: id,
      responseCode: answer.status,
      outcome: answer.outcome,
      durationMs: answer.durationMs,
      response: answer.response,
      attemptedAt: NOW,
      nextAttemptAt: nextAt,
    })
    .returning();
};

/** How an endpoint does after an answer. */
const healthAfter = (
  db: Database,
  { workspaceId, id }: WebhookRow,
  answer: WebhookAnswer,
  off: DisabledReason | null,
) =>
  db
    .update(webhooks)
    .set(
      answer.outcome === "delivered"
        ? { failingSince: null }
        : {
            failingSince: sql`COALESCE(${webhooks.failingSince}, ${NOW})`,
            ...(off === null ? {} : { disabledAt: NOW, disabledReason: off }),
          },
    )
    .where(isWebhook(workspaceId, id));

/** Writes what became of an attempt: its log, the message's next one or end, and how the endpoint does. */
export async function settleAttempt(
  db: Database,
  webhook: WebhookRow,
  logged: LoggedAttempt,
  off: DisabledReason | null,
): Promise<void> {
  const { workspaceId, id } = webhook;
  const { answer, nextAt, eventId } = logged;
  const pending = and(
    eq(webhookMessages.workspaceId, workspaceId),
    eq(webhookMessages.webhookId, id),
    eq(webhookMessages.state, "pending"),
  );
  const end = sql`${NOW} + ${WEBHOOK_LOG_MS}`;
  const after =
    answer.outcome === "delivered"
      ? ({ state: "delivered", nextAt: end } as const)
      : nextAt === null
        ? ({ state: "exhausted", nextAt: end } as const)
        : { nextAt };
  await db.batch([
    logAttempt(db, webhook, logged),
    db
      .update(webhookMessages)
      .set(after)
      .where(and(pending, eq(webhookMessages.eventId, eventId))),
    healthAfter(db, webhook, answer, off),
    // What a switched-off endpoint still had to hear, it does not hear any more.
    db
      .update(webhookMessages)
      .set({ state: "skipped", nextAt: end })
      .where(and(pending, sql`${off !== null}`)),
  ]);
}

/** Writes an attempt that somebody asked for. One that was heard settles the message, and switches the endpoint on again. */
export async function noteAttempt(db: Database, webhook: WebhookRow, logged: LoggedAttempt): Promise<AttemptRow> {
  const { workspaceId, id } = webhook;
  const heard = sql`${logged.answer.outcome === "delivered"}`;
  const {
    attempt: [row],
  } = await batch(db, {
    attempt: logAttempt(db, webhook, logged),
    message: db
      .update(webhookMessages)
      .set({ state: "delivered", nextAt: sql`${NOW} + ${WEBHOOK_LOG_MS}` })
      .where(
        and(
          eq(webhookMessages.workspaceId, workspaceId),
          eq(webhookMessages.webhookId, id),
          eq(webhookMessages.eventId, logged.eventId),
          heard,
        ),
      ),
    webhook: db
      .update(webhooks)
      .set({ failingSince: null, disabledAt: null, disabledReason: null })
      .where(and(isWebhook(workspaceId, id), heard)),
  });
  if (row === undefined) throw new Error("an attempt was not written");
  return row;
}

/** When an endpoint has to hear something next (epoch milliseconds); null: nothing waits. */
export async function nextMessageAt(db: Database, workspaceId: string, webhookId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: webhookMessages.nextAt })
    .from(webhookMessages)
    .where(
      and(
        eq(webhookMessages.workspaceId, workspaceId),
        eq(webhookMessages.webhookId, webhookId),
        eq(webhookMessages.state, "pending"),
      ),
    )
    .orderBy(asc(webhookMessages.nextAt))
    .limit(1);
  return row?.at ?? null;
}

/** Where a walk round the endpoints stands. */
export interface WebhookPlace {
  workspaceId: string;
  webhookId: string;
}

/**
 * Endpoints with messages that have been due for `graceMs`, among the next `limit` after `after` (null: from the first one),
 * however many messages they have. Returns where to go on; null: that was the last one.
 */
export async function lateWebhooksAfter(
  db: Database,
  after: WebhookPlace | null,
  graceMs: number,
  limit: number,
): Promise<{ late: WebhookPlace[]; next: WebhookPlace | null }> {
  const { workspaceId, webhookId } = after ?? { workspaceId: "", webhookId: "" };
  const place = { workspaceId: webhooks.workspaceId, webhookId: webhooks.id };
  const isAhead = sql`(${webhooks.workspaceId}, ${webhooks.id}) > (${workspaceId}, ${webhookId})`;
  const inOrder = [asc(webhooks.workspaceId), asc(webhooks.id)];
  const page = db
    .select(place)
    .from(webhooks)
    .where(isAhead)
    .orderBy(...inOrder)
    .limit(limit)
    .as("page");
  const {
    late,
    last: [last],
  } = await batch(db, {
    late: db
      .select({ workspaceId: page.workspaceId, webhookId: page.webhookId })
      .from(page)
      .where(
        sql`EXISTS (SELECT 1 FROM ${webhookMessages} WHERE ${webhookMessages.workspaceId} = ${page.workspaceId}
          AND ${webhookMessages.webhookId} = ${page.webhookId} AND ${webhookMessages.state} = 'pending'
          AND ${webhookMessages.nextAt} <= ${NOW} - ${graceMs})`,
      ),
    last: db
      .select(place)
      .from(webhooks)
      .where(isAhead)
      .orderBy(...inOrder)
      .limit(1)
      .offset(limit - 1),
  });
  return { late, next: last ?? null };
}

/** Forgets attempts and messages whose time to be read is over, some at a time. */
export async function forgetOldAttempts(db: Database, limit: number): Promise<void> {
  const oldAttempts = sql`(SELECT workspace_id, webhook_id, id FROM webhook_attempts
    WHERE attempted_at <= ${NOW} - ${WEBHOOK_LOG_MS} LIMIT ${limit})`;
  const doneMessages = sql`(SELECT workspace_id, webhook_id, event_id FROM webhook_messages
    WHERE state <> 'pending' AND next_at <= ${NOW} LIMIT ${limit})`;
  await db.batch([
    db.delete(webhookAttempts).where(sql`(workspace_id, webhook_id, id) IN ${oldAttempts}`),
    db
      .delete(webhookMessages)
      .where(and(ne(webhookMessages.state, "pending"), sql`(workspace_id, webhook_id, event_id) IN ${doneMessages}`)),
  ]);
}

/** Attempts to reach an endpoint, newest first, from before `before` (null: from the newest) on. */
export async function listAttempts(
  db: Database,
  workspaceId: string,
  webhookId: string,
  limit: number,
  before: string | null,
): Promise<AttemptRow[]> {
  return db
    .select()
    .from(webhookAttempts)
    .where(
      and(
        eq(webhookAttempts.workspaceId, workspaceId),
        eq(webhookAttempts.webhookId, webhookId),
        before === null ? undefined : lt(webhookAttempts.id, before),
      ),
    )
    .orderBy(desc(webhookAttempts.id))
    .limit(limit);
}

/** An attempt with what was sent; `event` null: it was a test, or is not kept any more. */
export async function findAttempt(db: Database, workspaceId: string, webhookId: string, id: string) {
  const [row] = await db
    .select({ attempt: webhookAttempts, body: events.body })
    .from(webhookAttempts)
    .leftJoin(
      webhookMessages,
      and(
        eq(webhookMessages.workspaceId, webhookAttempts.workspaceId),
        eq(webhookMessages.webhookId, webhookAttempts.webhookId),
        eq(webhookMessages.eventId, webhookAttempts.eventId),
      ),
    )
    .leftJoin(
      events,
      and(eq(events.workspaceId, webhookMessages.workspaceId), eq(events.seq, webhookMessages.eventSeq)),
    )
    .where(
      and(
        eq(webhookAttempts.workspaceId, workspaceId),
        eq(webhookAttempts.webhookId, webhookId),
        eq(webhookAttempts.id, id),
      ),
    );
  return row;
}

/** The addresses of those who own a workspace. */
export async function ownersOf(accounts: Database, workspaceId: string): Promise<string[]> {
  const rows = await accounts
    .select({ email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.workspaceId, workspaceId), eq(members.role, "owner")));
  return rows.map(({ email }) => email);
}
