// The tables of channels and of connecting them, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Brand } from "../../../domain/brand.ts";
import type { FailureCode } from "../../../domain/delivery/failure.ts";
import { instant, required } from "../columns.ts";

export const channels = sqliteTable(
  "channels",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    platform: required("platform"),
    handle: required("handle"),
    accountId: text("account_id"),
    name: text("name"),
    /** The picture's address at the network. */
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
    /** The workspace's publisher that serves the channel. */
    lane: integer("lane").notNull().default(0),
    /** A user or a key; null: the row predates this column. */
    connectedBy: text("connected_by"),
    /** Changes whenever the credential changes, but not when the same credential is sealed with another key. */
    credentialId: text("credential_id").notNull().default(""),
    /** Optional permissions that were not granted; null: unknown. */
    missingPermissions: text("missing_permissions", { mode: "json" }).$type<string[]>(),
    /** The account's subscription at the network, as its rule names it; null: none is known. */
    tier: text("tier"),
    /** The name that the user or key had at that time. */
    connectedByName: text("connected_by_name"),
    /** Our copy of the picture; null: there is none. */
    avatarKey: text("avatar_key"),
    avatarEtag: text("avatar_etag"),
    avatarType: text("avatar_type"),
    /** When the picture is copied next; null: never. */
    avatarAt: instant("avatar_at"),
    /** When its queue was seen filled; null: it never was, or its members were told since that it runs low. */
    queueFilledAt: instant("queue_filled_at"),
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
  /** The way to consent; null: the network's usual one. */
  via: text("via"),
  returnTo: text("return_to"),
  verifier: required("verifier"),
  stateHash: text("state_hash"),
  browserHash: text("browser_hash"),
  answeredAt: instant("answered_at"),
  granted: text("granted"),
  expiresAt: instant("expires_at").notNull(),
  /** A user or a key; null: the row predates this column. */
  madeBy: text("made_by"),
  createdAt: instant("created_at").notNull(),
  openedAt: instant("opened_at"),
  brand: text("brand", { mode: "json" }).$type<Brand>(),
  /** The handle of the account to connect, where its consent needs one; null: the person enters it. */
  handle: text("handle"),
});
