// The endpoints that events are delivered to.
import { and, asc, desc, eq, lt, sql } from "drizzle-orm";
import type { AuditEntry } from "../../domain/audit.ts";
import type { PreviousSecret } from "../../domain/webhook.ts";
import { recordWorkspaceAct } from "../audit.ts";
import { batch } from "../db/batch.ts";
import { type Database, type In, insertFrom, NOW } from "../db/db.ts";
import { webhookMessages, webhooks } from "../db/schema.ts";

export type WebhookRow = typeof webhooks.$inferSelect;

export const isWebhook = (workspaceId: In<string>, id: In<string>) =>
  and(eq(webhooks.workspaceId, workspaceId), eq(webhooks.id, id));

/** Stores an endpoint if the workspace has fewer than `max`. Returns undefined at the limit. */
export async function insertWebhook(
  db: Database,
  row: typeof webhooks.$inferInsert,
  max: number,
  entry: AuditEntry,
): Promise<WebhookRow | undefined> {
  const { rows } = await batch(db, {
    rows: insertFrom(
      db,
      webhooks,
      row,
      sql`WHERE (SELECT COUNT(*) FROM ${webhooks} WHERE ${webhooks.workspaceId} = ${row.workspaceId}) < ${max}`,
    ).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

export async function getWebhook(db: Database, workspaceId: string, id: string): Promise<WebhookRow | undefined> {
  const [row] = await db.select().from(webhooks).where(isWebhook(workspaceId, id));
  return row;
}

/** Endpoints of a workspace, newest first, before `before` (null: from the newest). */
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

/** Changes an endpoint. Returns undefined if there is none. */
export async function updateWebhook(
  db: Database,
  id: string,
  change: Partial<Pick<WebhookRow, "url" | "events" | "disabledAt" | "disabledReason" | "failingSince">>,
  entry: AuditEntry,
): Promise<WebhookRow | undefined> {
  const { rows } = await batch(db, {
    rows: db.update(webhooks).set(change).where(isWebhook(entry.workspaceId, id)).returning(),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows[0];
}

/** Removes an endpoint with its undelivered messages. Returns whether it existed. */
export async function removeWebhook(db: Database, id: string, entry: AuditEntry): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db.delete(webhooks).where(isWebhook(entry.workspaceId, id)).returning({ id: webhooks.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}

/** Replaces an endpoint's secret, if it is still the one that was read. */
export async function replaceSecret(
  db: Database,
  row: WebhookRow,
  next: { secret: string; previousSecrets: PreviousSecret[] },
  entry: AuditEntry,
): Promise<boolean> {
  const { rows } = await batch(db, {
    rows: db
      .update(webhooks)
      .set(next)
      .where(and(isWebhook(row.workspaceId, row.id), eq(webhooks.secret, row.secret)))
      .returning({ id: webhooks.id }),
    recorded: recordWorkspaceAct(db, entry),
  });
  return rows.length === 1;
}

/** The position of a walk through the endpoints. */
export interface WebhookCursor {
  workspaceId: string;
  webhookId: string;
}

/**
 * Endpoints with messages that have been due for `graceMs`, among the next `limit` after `after` (null: from the first
 * one), however many messages they have. Returns the next position; null: no endpoints are left.
 */
export async function lateWebhooksAfter(
  db: Database,
  after: WebhookCursor | null,
  graceMs: number,
  limit: number,
): Promise<{ late: WebhookCursor[]; next: WebhookCursor | null }> {
  const { workspaceId, webhookId } = after ?? { workspaceId: "", webhookId: "" };
  const cursorColumns = { workspaceId: webhooks.workspaceId, webhookId: webhooks.id };
  const isAhead = sql`(${webhooks.workspaceId}, ${webhooks.id}) > (${workspaceId}, ${webhookId})`;
  const inOrder = [asc(webhooks.workspaceId), asc(webhooks.id)];
  const page = db
    .select(cursorColumns)
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
      .select(cursorColumns)
      .from(webhooks)
      .where(isAhead)
      .orderBy(...inOrder)
      .limit(1)
      .offset(limit - 1),
  });
  return { late, next: last ?? null };
}
