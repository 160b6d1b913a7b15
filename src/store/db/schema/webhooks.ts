// The tables of events, endpoints and messages to them, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { EventName } from "../../../domain/event.ts";
import type { DisabledReason, PreviousSecret, WebhookOutcome } from "../../../domain/webhook.ts";
import { instant, required } from "../columns.ts";

export const events = sqliteTable(
  "events",
  {
    workspaceId: required("workspace_id"),
    seq: integer("seq").notNull(),
    id: required("id"),
    event: required("event"),
    postId: text("post_id"),
    channelId: required("channel_id"),
    dedupeKey: integer("dedupe_key").notNull(),
    body: required("body"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.seq] })],
);

export const webhooks = sqliteTable(
  "webhooks",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    url: required("url"),
    events: text("events", { mode: "json" }).notNull().$type<EventName[]>(),
    secret: required("secret"),
    previousSecrets: text("previous_secrets", { mode: "json" }).notNull().$type<PreviousSecret[]>().default([]),
    failingSince: instant("failing_since"),
    disabledAt: instant("disabled_at"),
    disabledReason: text("disabled_reason").$type<DisabledReason>(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const webhookMessages = sqliteTable(
  "webhook_messages",
  {
    workspaceId: required("workspace_id"),
    webhookId: required("webhook_id"),
    eventId: required("event_id"),
    eventSeq: integer("event_seq").notNull(),
    state: required("state").$type<"pending" | "delivered" | "exhausted" | "skipped">(),
    attempts: integer("attempts").notNull().default(0),
    nextAt: instant("next_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.webhookId, table.eventId] })],
);

export const webhookAttempts = sqliteTable(
  "webhook_attempts",
  {
    workspaceId: required("workspace_id"),
    webhookId: required("webhook_id"),
    id: required("id"),
    eventId: required("event_id"),
    event: required("event"),
    attempt: integer("attempt").notNull(),
    responseCode: integer("response_code"),
    outcome: required("outcome").$type<WebhookOutcome>(),
    durationMs: integer("duration_ms").notNull(),
    response: text("response"),
    attemptedAt: instant("attempted_at").notNull(),
    nextAttemptAt: instant("next_attempt_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.webhookId, table.id] })],
);
