// The tables of what members prepare and say beside their posts, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../../domain/actor.ts";
import type { FeedProblem } from "../../../domain/feeds/feed.ts";
import type { NEXT_SLOT } from "../../../domain/next-slot.ts";
import type { SnippetKind } from "../../../domain/snippet.ts";
import { instant, required } from "../columns.ts";

/** A trigger removes disconnected channels. */
export const channelGroups = sqliteTable(
  "channel_groups",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    name: required("name"),
    channels: text("channels", { mode: "json" }).notNull().$type<string[]>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const comments = sqliteTable(
  "comments",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    postId: required("post_id"),
    text: required("text"),
    author: text("author", { mode: "json" }).notNull().$type<Actor>(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

/** A trigger removes disconnected channels. */
export const feeds = sqliteTable(
  "feeds",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    name: required("name"),
    url: required("url"),
    channels: text("channels", { mode: "json" }).notNull().$type<string[]>(),
    labels: text("labels", { mode: "json" }).notNull().$type<string[]>(),
    template: required("template"),
    draft: integer("draft", { mode: "boolean" }).notNull(),
    /** null: at once. */
    publishAt: text("publish_at").$type<typeof NEXT_SLOT>(),
    intervalMinutes: integer("interval_minutes").notNull(),
    /** The member or key whose rights its posts are made with, and since when. */
    madeBy: required("made_by"),
    madeSince: instant("made_since").notNull(),
    createdAt: instant("created_at").notNull(),
    /** null: paused. */
    nextReadAt: instant("next_read_at"),
    lastReadAt: instant("last_read_at"),
    /** The headers that ask for changes only. */
    validators: text("validators", { mode: "json" }).notNull().default({}).$type<Record<string, string>>(),
    seen: text("seen", { mode: "json" }).notNull().default([]).$type<string[]>(),
    posts: integer("posts").notNull().default(0),
    problem: text("problem", { mode: "json" }).$type<{ code: FeedProblem; message: string; at: number }>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const snippets = sqliteTable(
  "snippets",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    name: required("name"),
    text: required("text"),
    kind: required("kind").$type<SnippetKind>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);
