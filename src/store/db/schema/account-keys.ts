import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { AccountScope } from "../../../domain/account-scopes.ts";
import { instant, required } from "../columns.ts";

export const accountKeys = sqliteTable("account_keys", {
  id: text("id").primaryKey(),
  userId: required("user_id"),
  hash: required("hash"),
  start: required("start"),
  name: required("name"),
  scopes: text("scopes", { mode: "json" }).notNull().$type<AccountScope[]>(),
  createdAt: instant("created_at").notNull(),
  lastUsedAt: instant("last_used_at"),
  expiresAt: instant("expires_at"),
  revokedAt: instant("revoked_at"),
});
