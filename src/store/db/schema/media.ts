// The tables of files and their stored copies, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { MediaState } from "../../../domain/media/types.ts";
import type { Adaptation } from "../../../domain/posts/adapt-image.ts";
import type { MediaKind } from "../../../domain/posts/platform-rule.ts";
import { instant, required } from "../columns.ts";

export const media = sqliteTable(
  "media",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    kind: required("kind").$type<MediaKind>(),
    state: required("state").$type<MediaState>(),
    objectKey: text("object_key"),
    /** The bucket's id of an upload in chunks; null: the file is not uploaded in chunks. */
    uploadId: text("upload_id"),
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
    /** The key or user whose rights the upload depends on, as in `ended_rights`; null: the file is at an address. */
    uploader: text("uploader"),
    /** The session or grant with which a member uploads it. */
    uploaderCredential: text("uploader_credential"),
    /** The file's own name. */
    name: text("name"),
    tags: text("tags", { mode: "json" }).notNull().$type<string[]>().default([]),
    /** The terms by which it is found (-> domain/media/terms.ts). A trigger keeps them in `media_terms`. */
    terms: text("terms", { mode: "json" }).notNull().$type<string[]>().default([]),
    /** Of a video: the content whose thumbnail was uploaded; null: it has none. */
    posterEtag: text("poster_etag"),
    /** Whether its stored copy is kept, whatever `expiresAt` says. */
    kept: integer("kept", { mode: "boolean" }).notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

/** The files of each term. Triggers keep it. */
export const mediaTerms = sqliteTable(
  "media_terms",
  {
    workspaceId: required("workspace_id"),
    term: required("term"),
    mediaId: required("media_id"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.term, table.mediaId] })],
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
    /** The bytes that it counts against the staging ceiling until it is deleted. */
    bytes: integer("bytes").notNull().default(0),
    /** The bucket's id of its upload in chunks, which is aborted before the object is deleted. */
    uploadId: text("upload_id"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.objectKey] })],
);

/** Converted copies of images; `conversion` identifies the source content and the requested conversion. */
export const mediaCopies = sqliteTable(
  "media_copies",
  {
    workspaceId: required("workspace_id"),
    mediaId: required("media_id"),
    conversion: required("conversion"),
    objectKey: required("object_key"),
    etag: required("etag"),
    contentType: required("content_type"),
    bytes: integer("bytes").notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    adapted: text("adapted", { mode: "json" }).notNull().$type<Adaptation[]>(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.mediaId, table.conversion] })],
);
