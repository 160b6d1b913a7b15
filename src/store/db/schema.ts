// The tables as types. The migrations make them; test/worker-api/store/schema.test.ts holds the two together.
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FailureCode } from "../../domain/delivery/failure.ts";
import type { CommentState } from "../../domain/delivery/first-comment.ts";
import type { DeliveryState } from "../../domain/delivery/transitions.ts";
import type { EventName } from "../../domain/event.ts";
import type { JsonObject } from "../../domain/json.ts";
import type { MediaState } from "../../domain/media/types.ts";
import type { MediaKind, PostType } from "../../domain/posts/platform-rule.ts";
import type { PostStatus } from "../../domain/posts/post.ts";
import type { DisabledReason, WebhookOutcome } from "../../domain/webhook.ts";
import { instant, required } from "./columns.ts";

export const users = sqliteTable("users", {
  id: text("id").primaryKey(),
  email: required("email"),
  name: text("name"),
  passwordHash: text("password_hash"),
  emailVerifiedAt: instant("email_verified_at"),
  createdAt: instant("created_at").notNull(),
});

export const identities = sqliteTable(
  "identities",
  {
    issuer: required("issuer"),
    subject: required("subject"),
    userId: required("user_id"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.issuer, table.subject] })],
);

export const sessions = sqliteTable("sessions", {
  tokenHash: text("token_hash").primaryKey(),
  userId: required("user_id"),
  createdAt: instant("created_at").notNull(),
  lastSeenAt: instant("last_seen_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

export const resetLinks = sqliteTable("reset_links", {
  tokenHash: text("token_hash").primaryKey(),
  userId: required("user_id"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  usedAt: instant("used_at"),
  usedBy: text("used_by"),
});

export const clearances = sqliteTable("clearances", {
  workspaceId: text("workspace_id").primaryKey(),
  since: instant("since").notNull(),
  /** How many publishers the workspace had. */
  lanes: integer("lanes").notNull().default(1),
});

export const usedStates = sqliteTable("used_states", {
  id: text("id").primaryKey(),
  expiresAt: instant("expires_at").notNull(),
});

export const workspaces = sqliteTable("workspaces", {
  id: text("id").primaryKey(),
  name: required("name"),
  plan: required("plan"),
  planStatus: required("plan_status").$type<"active" | "past_due" | "cancelled">().default("active"),
  timezone: required("timezone").default("UTC"),
  stagedBytes: integer("staged_bytes").notNull().default(0),
  createdAt: instant("created_at").notNull(),
});

export const members = sqliteTable(
  "members",
  {
    workspaceId: required("workspace_id"),
    userId: required("user_id"),
    role: required("role").$type<"owner" | "member">(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export const workspaceKeys = sqliteTable(
  "workspace_keys",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    hash: required("hash"),
    sealed: text("sealed"),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    revokedAt: instant("revoked_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const audit = sqliteTable(
  "audit",
  {
    workspaceId: required("workspace_id"),
    at: instant("at").notNull(),
    id: required("id"),
    userId: text("user_id"),
    act: required("act"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.at, table.id] })],
);

export const channels = sqliteTable(
  "channels",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    platform: required("platform"),
    handle: required("handle"),
    accountId: text("account_id"),
    name: text("name"),
    avatarUrl: text("avatar_url"),
    profileUrl: text("profile_url"),
    credential: text("credential"),
    tokenExpiresAt: instant("token_expires_at"),
    renewAt: instant("renew_at"),
    warnAt: instant("warn_at"),
    lostReason: text("lost_reason").$type<FailureCode>(),
    notBefore: instant("not_before"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    removedAt: instant("removed_at"),
    /** Which of the workspace's publishers works the channel. */
    lane: integer("lane").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const connectorRequests = sqliteTable(
  "connector_requests",
  {
    workspaceId: required("workspace_id"),
    platform: required("platform"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.platform] })],
);

export const connectLinks = sqliteTable("connect_links", {
  id: text("id").primaryKey(),
  workspaceId: required("workspace_id"),
  platform: required("platform"),
  returnTo: text("return_to"),
  verifier: required("verifier"),
  stateHash: text("state_hash"),
  browserHash: text("browser_hash"),
  answeredAt: instant("answered_at"),
  granted: text("granted"),
  expiresAt: instant("expires_at").notNull(),
});

export const media = sqliteTable(
  "media",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    kind: required("kind").$type<MediaKind>(),
    state: required("state").$type<MediaState>(),
    objectKey: text("object_key"),
    url: text("url"),
    contentType: text("content_type"),
    bytes: integer("bytes"),
    etag: text("etag"),
    width: integer("width"),
    height: integer("height"),
    durationMs: integer("duration_ms"),
    alt: text("alt"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const mediaUses = sqliteTable(
  "media_uses",
  {
    workspaceId: required("workspace_id"),
    mediaId: required("media_id"),
    postId: required("post_id"),
    finishedAt: instant("finished_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.mediaId] })],
);

export const discardedObjects = sqliteTable(
  "discarded_objects",
  {
    workspaceId: required("workspace_id"),
    objectKey: required("object_key"),
    nextAt: instant("next_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.objectKey] })],
);

/** What one channel publishes differently: `text`, `media`, and the network's own options. */
export type Overrides = Record<string, JsonObject>;

export const posts = sqliteTable(
  "posts",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    status: required("status").$type<Exclude<PostStatus, "queued" | "publishing">>(),
    rev: integer("rev").notNull().default(1),
    editedBy: text("edited_by"),
    text: required("text"),
    media: text("media", { mode: "json" }).notNull().$type<string[]>(),
    channels: text("channels", { mode: "json" }).notNull().$type<string[]>(),
    overrides: text("overrides", { mode: "json" }).notNull().$type<Overrides>(),
    postType: text("post_type").$type<PostType>(),
    metadata: text("metadata", { mode: "json" }).notNull().$type<Record<string, string>>(),
    publishAt: instant("publish_at"),
    dueAt: instant("due_at"),
    timezone: required("timezone"),
    idempotencyKey: text("idempotency_key"),
    countedMonth: text("counted_month"),
    cancelledAt: instant("cancelled_at"),
    createdAt: instant("created_at").notNull(),
    updatedAt: instant("updated_at").notNull(),
    finishedAt: instant("finished_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const deliveries = sqliteTable(
  "deliveries",
  {
    workspaceId: required("workspace_id"),
    postId: required("post_id"),
    channelId: required("channel_id"),
    id: required("id"),
    platform: required("platform"),
    position: integer("position").notNull(),
    state: required("state").$type<DeliveryState>(),
    ver: integer("ver").notNull().default(1),
    fence: integer("fence").notNull().default(0),
    scheduledFor: instant("scheduled_for"),
    nextAt: instant("next_at"),
    attempts: integer("attempts").notNull().default(0),
    sends: required("sends").default("[]"),
    retries: integer("retries").notNull().default(0),
    ambiguous: integer("ambiguous", { mode: "boolean" }).notNull().default(false),
    netToken: text("net_token"),
    sentAt: instant("sent_at"),
    netPostId: text("net_post_id"),
    url: text("url"),
    urlState: required("url_state").$type<"none" | "pending" | "not_reported">().default("none"),
    error: text("error").$type<FailureCode>(),
    detail: text("detail"),
    startedAt: instant("started_at"),
    publishedAt: instant("published_at"),
    checkedAt: instant("checked_at"),
    commentState: text("comment_state").$type<CommentState>(),
    commentTries: integer("comment_tries").notNull().default(0),
    commentToken: text("comment_token"),
    checkAt: instant("check_at"),
    missingSince: instant("missing_since"),
    /** The delivery session that wrote the row last. */
    session: text("session"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.channelId] })],
);

export const idempotencyKeys = sqliteTable(
  "idempotency_keys",
  {
    workspaceId: required("workspace_id"),
    key: required("key"),
    postId: required("post_id"),
    fingerprint: required("fingerprint"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.key] })],
);

export const usageMonths = sqliteTable(
  "usage_months",
  {
    workspaceId: required("workspace_id"),
    month: required("month"),
    posts: integer("posts").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.month] })],
);

export const events = sqliteTable(
  "events",
  {
    workspaceId: required("workspace_id"),
    seq: integer("seq").notNull(),
    id: required("id"),
    event: required("event"),
    postId: text("post_id"),
    channelId: required("channel_id"),
    fence: integer("fence").notNull(),
    body: required("body"),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.seq] })],
);

/** A sealed secret that was replaced, and until when it still signs. */
export interface PreviousSecret {
  secret: string;
  until: number;
}

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
