// The tables of client apps that users authorize, as types (-> ../schema.ts).
import { primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AuthMethod } from "../../../domain/oauth.ts";
import { instant, required } from "../columns.ts";

export const oauthClients = sqliteTable("oauth_clients", {
  id: text("id").primaryKey(),
  name: required("name"),
  url: text("url"),
  redirectUris: text("redirect_uris", { mode: "json" }).notNull().$type<string[]>(),
  authMethod: required("auth_method").$type<AuthMethod>(),
  secretHash: text("secret_hash"),
  createdAt: instant("created_at").notNull(),
  usedAt: instant("used_at"),
});

export const oauthGrants = sqliteTable(
  "oauth_grants",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    userId: required("user_id"),
    clientId: required("client_id"),
    clientName: required("client_name"),
    clientUrl: text("client_url"),
    redirectUri: required("redirect_uri"),
    scopes: text("scopes", { mode: "json" }).notNull().$type<string[]>(),
    resource: required("resource"),
    codeChallenge: required("code_challenge"),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    expiresAt: instant("expires_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

export const oauthTokens = sqliteTable("oauth_tokens", {
  hash: text("hash").primaryKey(),
  kind: required("kind").$type<"code" | "access" | "refresh">(),
  workspaceId: required("workspace_id"),
  grantId: required("grant_id"),
  expiresAt: instant("expires_at").notNull(),
  usedAt: instant("used_at"),
  usedBy: text("used_by"),
});

export const oauthEndings = sqliteTable("oauth_endings", {
  grantId: text("grant_id").primaryKey(),
  since: instant("since").notNull(),
});
