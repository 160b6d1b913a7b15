// The log of the attempts to reach an endpoint, and the effect of each on its message and the endpoint.
import { and, desc, eq, isNull, lt, ne, type SQL, sql } from "drizzle-orm";
import { type DisabledReason, FAILING_MAX_MS, WEBHOOK_LOG_MS, type WebhookAnswer } from "../../domain/webhook.ts";
import { batch } from "../db/batch.ts";
import { type Database, NOW } from "../db/db.ts";
import { events, webhookAttempts, webhookMessages, webhooks } from "../db/schema.ts";
import { isWebhook, type WebhookRow } from "./endpoints.ts";

export type AttemptRow = typeof webhookAttempts.$inferSelect;

/** An attempt as it is logged. */
export interface LoggedAttempt {
  id: string;
  eventId: string;
  event: string;
  attempt: number;
  answer: WebhookAnswer;
  nextAt: number | null;
}

const logAttempt = (db: Database, { workspaceId, id }: WebhookRow, logged: LoggedAttempt, nextAttemptAt?: SQL) => {
  const { answer, nextAt, ...otherFields } = logged;
  return db
    .insert(webhookAttempts)
    .values({
      ...otherFields,
      workspaceId,
      webhookId: id,
      responseCode: answer.status,
      outcome: answer.outcome,
      durationMs: answer.durationMs,
      response: answer.response,
      attemptedAt: NOW,
      nextAttemptAt: nextAttemptAt ?? nextAt,
    })
    .returning();
};

/** The statement that updates since when an endpoint has been failing. */
const healthAfter = (db: Database, { workspaceId, id }: WebhookRow, { outcome }: WebhookAnswer) =>
  db
    .update(webhooks)
    .set({ failingSince: outcome === "delivered" ? null : sql`COALESCE(${webhooks.failingSince}, ${NOW})` })
    .where(isWebhook(workspaceId, id));

/**
 * The statement that switches an endpoint off. An endpoint that failed for too long stays on if a concurrent attempt
 * was acknowledged in the meantime.
 */
const switchOff = (db: Database, { workspaceId, id }: WebhookRow, reason: DisabledReason) =>
  db
    .update(webhooks)
    .set({ disabledAt: NOW, disabledReason: reason })
    .where(
      and(
        isWebhook(workspaceId, id),
        isNull(webhooks.disabledAt),
        reason === "gone" ? undefined : sql`${webhooks.failingSince} <= ${NOW} - ${FAILING_MAX_MS}`,
      ),
    )
    .returning({ id: webhooks.id });

/**
 * Records the outcome of an attempt: its log entry, the message's next attempt or end, and the endpoint's health.
 * `off`: the reason to switch it off. Returns whether this attempt switched it off.
 */
export async function recordAttempt(
  db: Database,
  webhook: WebhookRow,
  logged: LoggedAttempt,
  off: DisabledReason | null,
): Promise<boolean> {
  const { workspaceId, id } = webhook;
  const { answer, nextAt, eventId } = logged;
  const isOff = sql`EXISTS (SELECT 1 FROM ${webhooks} WHERE ${isWebhook(workspaceId, id)} AND ${webhooks.disabledAt} IS NOT NULL)`;
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
        : {
            state: sql`CASE WHEN ${isOff} THEN 'exhausted' ELSE ${webhookMessages.state} END`,
            nextAt: sql`CASE WHEN ${isOff} THEN ${end} ELSE ${nextAt} END`,
          };
  const { switchedOff } = await batch(db, {
    health: healthAfter(db, webhook, answer),
    // Comes before all statements that depend on whether the endpoint is off.
    switchedOff: off === null ? [] : [switchOff(db, webhook, off)],
    log: logAttempt(db, webhook, logged, sql`CASE WHEN ${isOff} THEN NULL ELSE ${nextAt} END`),
    message: db
      .update(webhookMessages)
      .set(after)
      .where(and(pending, eq(webhookMessages.eventId, eventId))),
    // The pending messages of a switched-off endpoint are not delivered any more.
    others:
      off === null
        ? []
        : [db.update(webhookMessages).set({ state: "skipped", nextAt: end }).where(and(pending, isOff))],
  });
  return switchedOff.some((rows) => rows.length === 1);
}

/**
 * Records an attempt that a caller requested. If it was delivered, this ends the message and switches the endpoint on
 * again.
 */
export async function recordRequestedAttempt(
  db: Database,
  webhook: WebhookRow,
  logged: LoggedAttempt,
): Promise<AttemptRow> {
  const { workspaceId, id } = webhook;
  const isDelivered = sql`${logged.answer.outcome === "delivered"}`;
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
          isDelivered,
        ),
      ),
    webhook: db
      .update(webhooks)
      .set({ failingSince: null, disabledAt: null, disabledReason: null })
      .where(and(isWebhook(workspaceId, id), isDelivered)),
  });
  if (row === undefined) throw new Error("an attempt was not written");
  return row;
}

/** Deletes attempts and messages past their retention period, some at a time. */
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

/** Attempts with the sent body. `body` is null for a test, and if the event has been deleted. */
const withBody = (db: Database) =>
  db
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
    );

const isEndpointAttempt = (workspaceId: string, webhookId: string) =>
  and(eq(webhookAttempts.workspaceId, workspaceId), eq(webhookAttempts.webhookId, webhookId));

/** One attempt of an endpoint. */
export async function findAttempt(db: Database, workspaceId: string, webhookId: string, id: string) {
  const [row] = await withBody(db).where(and(isEndpointAttempt(workspaceId, webhookId), eq(webhookAttempts.id, id)));
  return row;
}

/** The statement that reads attempts to reach an endpoint, newest first, before `before` (null: from the newest). */
export const selectAttempts = (
  db: Database,
  {
    workspaceId,
    webhookId,
    before,
    limit,
  }: { workspaceId: string; webhookId: string; before: string | null; limit: number },
) =>
  withBody(db)
    .where(and(isEndpointAttempt(workspaceId, webhookId), before === null ? undefined : lt(webhookAttempts.id, before)))
    .orderBy(desc(webhookAttempts.id))
    .limit(limit);
