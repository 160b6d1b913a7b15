// The tables of posts and deliveries, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../../domain/actor.ts";
import type { Brand } from "../../../domain/brand.ts";
import type { RequestedEdit } from "../../../domain/delivery/edit.ts";
import type { FollowUpKind, FollowUpState } from "../../../domain/delivery/follow-up-moves.ts";
import type { Live } from "../../../domain/delivery/outcome.ts";
import type { LastTry, NetworkPost, Send, Terms } from "../../../domain/delivery/stored-facts.ts";
import type { DeliveryState } from "../../../domain/delivery/transitions.ts";
import type { JsonObject } from "../../../domain/json.ts";
import type { Approval, Decided } from "../../../domain/posts/approval.ts";
import type { LinkTags } from "../../../domain/posts/link-tags.ts";
import type { PostType } from "../../../domain/posts/platform-rule.ts";
import type { Poll } from "../../../domain/posts/poll.ts";
import type { PostStatus } from "../../../domain/posts/post.ts";
import type { LostPosts, Repeat, RepeatState, Series } from "../../../domain/posts/repeat.ts";
import type { MediaFit, SentFile } from "../../../domain/posts/sent-file.ts";
import type { ThreadPart } from "../../../domain/posts/thread.ts";
import type { Slot } from "../../../domain/slots.ts";
import { instant, required } from "../columns.ts";

/** By channel id, the content that differs from the post: `text`, `media`, and the network's own options. */
export type Overrides = Record<string, JsonObject>;

export const posts = sqliteTable(
  "posts",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    status: required("status").$type<Exclude<PostStatus, "queued" | "publishing">>(),
    revision: integer("revision").notNull().default(1),
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
    /** How many bytes the post adds to the workspace's drafts; 0 if it is not a draft. */
    draftBytes: integer("draft_bytes").notNull().default(0),
    labels: text("labels", { mode: "json" }).notNull().$type<string[]>().default([]),
    words: text("words"),
    thread: text("thread", { mode: "json" }).$type<ThreadPart[]>(),
    poll: text("poll", { mode: "json" }).$type<Poll>(),
    /** null: no approval was requested. */
    approval: text("approval", { mode: "json" }).$type<Approval>(),
    /** null: no decision was made. */
    decided: text("decided", { mode: "json" }).$type<Decided>(),
    /** The last person or key that created or changed it; null: the row predates this column. */
    author: text("author", { mode: "json" }).$type<Actor>(),
    /** A hash of its texts, options and files. */
    contentTag: required("content_tag").default(""),
    /** The user who is the author, or for whom the authoring application acts; null: the author is a key. */
    authorUserId: text("author_user_id"),
    mediaFit: required("media_fit").$type<MediaFit>().default("exact"),
    /** null: every file is published as it is. */
    sentFiles: text("sent_files", { mode: "json" }).$type<SentFile[]>(),
    /** Its cost in the month's budget, in millionths of a US dollar. */
    countedCost: integer("counted_cost").notNull().default(0),
    /** The key that scheduled it or changed it last; null: no key did. */
    countedKey: text("counted_key"),
    /** null: the post does not repeat. This also applies to the next two columns. */
    repeat: text("repeat", { mode: "json" }).$type<Repeat>(),
    repeatState: text("repeat_state").$type<RepeatState>(),
    /** Its place in the series; null: it is the first post. */
    series: text("series", { mode: "json" }).$type<Series>(),
    /** Parameters that are added to its links; null: none. */
    linkTags: text("link_tags", { mode: "json" }).$type<LinkTags>(),
    /** The first post of the series; null: it is that post. */
    repeatOf: text("repeat_of"),
    /** null: no restore of the database has removed later posts of its series. */
    lostPosts: text("lost_posts", { mode: "json" }).$type<LostPosts>(),
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
    state: required("state").$type<DeliveryState>(),
    version: integer("version").notNull().default(1),
    fencingToken: integer("fencing_token").notNull().default(0),
    /** The delivery session that wrote the row last. */
    session: text("session"),
    scheduledFor: instant("scheduled_for"),
    nextAt: instant("next_at"),
    startedAt: instant("started_at"),
    /** In a thread, when its first part was published. */
    publishedAt: instant("published_at"),
    /** When its next follow-up is due, the recheck included. */
    checkAt: instant("check_at"),
    sends: text("sends", { mode: "json" }).notNull().$type<Send[]>().default([]),
    hasOpenSend: integer("has_open_send", { mode: "boolean" }).notNull().default(false),
    publishKey: text("publish_key"),
    /** null: not tried yet, or the last try needs no words. */
    lastTry: text("last_try", { mode: "json" }).$type<LastTry>(),
    /** null: its network has no post. */
    networkPost: text("network_post", { mode: "json" }).$type<NetworkPost>(),
    /** The position of its success event in the workspace's feed. */
    successSeq: integer("success_seq"),
    /** Its database was restored to an earlier minute, so its next steps may already have been taken. */
    isHeldBack: integer("is_held_back", { mode: "boolean" }).notNull().default(false),
    /** null: rechecks by the network's own rule, and no charge. */
    terms: text("terms", { mode: "json" }).$type<Terms>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.channelId] })],
);

/** The published parts of threads. A delivery without a thread has none. */
export const threadParts = sqliteTable(
  "thread_parts",
  {
    workspaceId: required("workspace_id"),
    postId: required("post_id"),
    channelId: required("channel_id"),
    position: integer("position").notNull(),
    id: required("network_id"),
    url: text("url"),
    urlState: required("url_state").$type<Live["urlState"]>(),
    publishedAt: instant("published_at").notNull(),
    attempts: integer("attempts").notNull(),
    publishKey: text("publish_key"),
    missingSince: instant("missing_since"),
    isRemoved: integer("is_removed", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.channelId, table.position] })],
);

/** Takedowns and edits of live posts, and the work that is done once under them. */
export const followUps = sqliteTable(
  "follow_ups",
  {
    workspaceId: required("workspace_id"),
    postId: required("post_id"),
    channelId: required("channel_id"),
    kind: required("kind").$type<FollowUpKind>(),
    state: required("state").$type<FollowUpState>(),
    tries: integer("tries").notNull().default(0),
    publishKey: text("publish_key"),
    /** null: the work is no edit. */
    edit: text("edit", { mode: "json" }).$type<RequestedEdit>(),
    /** The reason, in Crier's own words. */
    detail: text("detail"),
    /** The network's message, cleaned. */
    networkMessage: text("network_message"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.postId, table.channelId, table.kind] })],
);

/** How many posts each label has. Triggers keep the count. */
export const labels = sqliteTable(
  "labels",
  { workspaceId: required("workspace_id"), name: required("name"), posts: integer("posts").notNull() },
  (table) => [primaryKey({ columns: [table.workspaceId, table.name] })],
);

/** The channels and labels of all posts except drafts. Triggers write the rows. */
export const postTerms = sqliteTable(
  "post_terms",
  {
    workspaceId: required("workspace_id"),
    term: required("term"),
    dueAt: instant("due_at").notNull(),
    postId: required("post_id"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.term, table.dueAt, table.postId] })],
);

export const slots = sqliteTable("slots", {
  workspaceId: required("workspace_id").primaryKey(),
  slots: text("slots", { mode: "json" }).notNull().$type<Slot[]>(),
});

/** Stored in the accounts database: only the token identifies the workspace. */
export const reviewLinks = sqliteTable("review_links", {
  tokenHash: text("token_hash").primaryKey(),
  workspaceId: required("workspace_id"),
  postId: required("post_id"),
  /** The revision that it covers. */
  rev: integer("rev").notNull(),
  createdBy: required("created_by"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
  /** The content that it covers. */
  contentTag: required("content_tag").default(""),
});

export const portals = sqliteTable(
  "portals",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    tokenHash: required("token_hash"),
    name: required("name"),
    /** null: `labels` decides which posts it shows. */
    channels: text("channels", { mode: "json" }).$type<string[]>(),
    labels: text("labels", { mode: "json" }).$type<string[]>(),
    brand: text("brand", { mode: "json" }).$type<Brand>(),
    createdBy: required("created_by"),
    createdAt: instant("created_at").notNull(),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const portalDecisions = sqliteTable(
  "portal_decisions",
  {
    workspaceId: required("workspace_id"),
    portalId: required("portal_id"),
    postId: required("post_id"),
    rev: integer("rev").notNull(),
    contentTag: required("content_tag"),
    decision: required("decision").$type<"approve" | "decline">(),
    by: required("by"),
    reason: text("reason"),
    decidedAt: instant("decided_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.portalId, table.postId, table.rev] })],
);

export const reports = sqliteTable("reports", {
  tokenHash: text("token_hash").primaryKey(),
  workspaceId: required("workspace_id"),
  fromDate: required("from_date"),
  toDate: required("to_date"),
  channels: text("channels", { mode: "json" }).$type<string[]>(),
  label: text("label"),
  createdBy: required("created_by"),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

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
    givenBack: integer("given_back").notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.month] })],
);

/** The cost of a month's posts, per key and, with an empty `keyId`, in total. Triggers keep the sums. */
export const spending = sqliteTable(
  "spending",
  {
    workspaceId: required("workspace_id"),
    month: required("month"),
    keyId: required("key_id"),
    /** Millionths of a US dollar. */
    cost: integer("cost").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.month, table.keyId] })],
);
