// The tables of what members prepare and say beside their posts, as types (-> ../schema.ts).
import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../../domain/actor.ts";
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
