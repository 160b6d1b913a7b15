// A message is one event for one endpoint. It is pending until it is delivered, exhausted or skipped.
import { and, asc, eq, lte, type SQL, sql } from "drizzle-orm";
import { WEBHOOK_LOG_MS, WEBHOOK_WAITS_MS } from "../../domain/webhook.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { type AnswerRow, preparedBatch, readNumber, readText, toParameter, toStatement } from "../db/prepared-sql.ts";
import { rowAsJson } from "../db/row-as-json.ts";
import { events, webhookMessages, webhooks } from "../db/schema.ts";
import { isIndexed } from "../events.ts";
import { isWebhook, type WebhookRow } from "./endpoints.ts";

/**
 * The statement that adds a message for each event and each endpoint that is subscribed to it, and returns the messages.
 * `from`, which includes the table `events`, and `where` select the events. A message for a disabled endpoint is marked as
 * skipped.
 */
export function fanOut(db: Database, from: SQL, where: SQL) {
  const isOff = sql`${webhooks.disabledAt} IS NOT NULL`;
  return insertFrom(
    db,
    webhookMessages,
    {
      workspaceId: events.workspaceId,
      webhookId: webhooks.id,
      eventId: events.id,
      eventSeq: events.seq,
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

/** A message that `fanOut` has added. */
interface NewMessage {
  webhookId: string;
  eventId: string;
  state: string;
}

/** Reads a row that a prepared `fanOut` returned. */
export const readMessage = (row: AnswerRow): NewMessage => ({
  webhookId: readText(row, "webhook_id"),
  eventId: readText(row, "event_id"),
  state: readText(row, "state"),
});

/** `fanOut` for one event of a channel. */
export function fanOutOfChannel(
  db: Database,
  workspaceId: string,
  channelId: string,
  event: { id: string; event: string; createdAt: number },
) {
  return fanOut(
    db,
    sql`${events}`,
    sql`${isIndexed} AND ${events.workspaceId} = ${workspaceId} AND ${events.postId} IS NULL AND ${events.channelId} = ${channelId}
      AND ${events.dedupeKey} = ${event.createdAt} AND ${events.event} = ${event.event} AND ${events.id} = ${event.id}`,
  );
}

/** The endpoints with a message that is due now, from the rows that a fan-out returned. */
export const endpointsToNotify = (rows: { webhookId: string; state: string }[]): string[] =>
  rows.filter(({ state }) => state === "pending").map(({ webhookId }) => webhookId);

/** A message that is being delivered. */
export interface TakenMessage {
  webhook: WebhookRow;
  event: { id: string; event: string; body: string };
  /** Counted from 1. */
  attempt: number;
  now: number;
}

/** How long an attempt may take. */
const LEASE_MS = 60_000;
/**
 * The wait before the next attempt, recorded when this attempt starts. So an attempt without a recorded end counts as failed,
 * and the retries take their full period even if workers are terminated.
 */
const waitAfterThis = sql`COALESCE(${JSON.stringify(WEBHOOK_WAITS_MS)} ->> ${webhookMessages.attempts}, 0)`;

/**
 * Takes the next due message of an endpoint; null if no message is due. A disabled endpoint has no due messages. A message
 * whose event does not exist can never be delivered: it is marked as exhausted, and `reportGone` is called.
 */
export async function takeMessage(
  db: Database,
  workspaceId: string,
  webhookId: string,
  reportGone: () => void = () => {},
): Promise<TakenMessage | null> {
  for (;;) {
    const taken = await takeNext(db, workspaceId, webhookId);
    if (taken === null) return null;
    const { seq, eventId, ...message } = taken;
    const [event] = await db
      .select({ id: events.id, event: events.event, body: events.body })
      .from(events)
      .where(and(eq(events.workspaceId, workspaceId), eq(events.seq, seq)));
    if (event !== undefined) return { ...message, event };
    await db
      .update(webhookMessages)
      .set({ state: "exhausted", nextAt: sql`${NOW} + ${WEBHOOK_LOG_MS}` })
      .where(and(isPendingFor(workspaceId, webhookId), eq(webhookMessages.eventId, eventId)));
    reportGone();
  }
}

const isPendingFor = (workspaceId: In<string>, webhookId: In<string>) =>
  and(
    eq(webhookMessages.workspaceId, workspaceId),
    eq(webhookMessages.webhookId, webhookId),
    eq(webhookMessages.state, "pending"),
  );

const webhookJson = rowAsJson(webhooks);

const takeFirst = preparedBatch(
  (db) => {
    const [workspaceId, webhookId] = [toParameter("workspace"), toParameter("webhook")];
    const ofEndpoint = isPendingFor(workspaceId, webhookId);
    const next = db
      .select({ id: webhookMessages.eventId })
      .from(webhookMessages)
      .where(and(ofEndpoint, lte(webhookMessages.nextAt, NOW)))
      .orderBy(asc(webhookMessages.nextAt), asc(webhookMessages.eventId))
      .limit(1);
    return {
      taken: db
        .update(webhookMessages)
        .set({ nextAt: sql`${NOW} + ${LEASE_MS} + ${waitAfterThis}`, attempts: sql`${webhookMessages.attempts} + 1` })
        .where(and(ofEndpoint, eq(webhookMessages.eventId, next)))
        .returning({
          seq: webhookMessages.eventSeq,
          eventId: webhookMessages.eventId,
          attempt: webhookMessages.attempts,
          now: NOW.as("now"),
        }),
      webhooks: toStatement(sql`SELECT ${webhookJson.array} AS webhook FROM ${webhooks}
        WHERE ${isWebhook(workspaceId, webhookId)}`),
    };
  },
  (rowsFrom) => ({
    message: rowsFrom("taken").map((row) => ({
      seq: readNumber(row, "event_seq"),
      eventId: readText(row, "event_id"),
      attempt: readNumber(row, "attempts"),
      now: readNumber(row, "now"),
    }))[0],
    webhook: rowsFrom("webhooks").map((row) => webhookJson.read(JSON.parse(readText(row, "webhook"))))[0],
  }),
);

async function takeNext(db: Database, workspaceId: string, webhookId: string) {
  const { message, webhook } = await takeFirst(db, { workspace: workspaceId, webhook: webhookId });
  return message === undefined || webhook === undefined ? null : { ...message, webhook };
}

/** Returns a message that was taken but not sent. The message is due again at `nextAt`, and the attempt does not count. */
export async function giveBack(
  db: Database,
  { workspaceId, id }: WebhookRow,
  eventId: string,
  nextAt: number,
): Promise<void> {
  await db
    .update(webhookMessages)
    .set({ nextAt, attempts: sql`${webhookMessages.attempts} - 1` })
    .where(and(isPendingFor(workspaceId, id), eq(webhookMessages.eventId, eventId)));
}

/** When an endpoint's next message is due, in epoch milliseconds; null if no message is pending. */
export async function nextMessageAt(db: Database, workspaceId: string, webhookId: string): Promise<number | null> {
  const [row] = await db
    .select({ at: webhookMessages.nextAt })
    .from(webhookMessages)
    .where(isPendingFor(workspaceId, webhookId))
    .orderBy(asc(webhookMessages.nextAt))
    .limit(1);
  return row?.at ?? null;
}
