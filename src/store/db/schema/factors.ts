// The tables of second factors, as types (-> ../schema.ts).
import { integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { FactorKind } from "../../../domain/factor.ts";
import { instant, required } from "../columns.ts";

export const factors = sqliteTable("factors", {
  id: text("id").primaryKey(),
  userId: required("user_id"),
  kind: required("kind").$type<FactorKind>(),
  name: required("name"),
  /** The sealed secret of a `totp` factor; the challenge of an unconfirmed passkey. */
  secret: text("secret"),
  credentialId: text("credential_id"),
  publicKey: text("public_key"),
  transports: text("transports", { mode: "json" }).$type<string[]>(),
  /** The last accepted time step of a `totp` factor; the signature counter of a passkey. */
  counter: integer("counter").notNull().default(0),
  createdAt: instant("created_at").notNull(),
  /** Null while the factor is being set up. */
  confirmedAt: instant("confirmed_at"),
  lastUsedAt: instant("last_used_at"),
});

export const recoveryCodes = sqliteTable(
  "recovery_codes",
  { userId: required("user_id"), hash: required("hash") },
  (table) => [primaryKey({ columns: [table.userId, table.hash] })],
);

export const factorChallenges = sqliteTable("factor_challenges", {
  tokenHash: text("token_hash").primaryKey(),
  userId: required("user_id"),
  /** The session that shows the factor; null at sign-in. */
  sessionHash: text("session_hash"),
  expiresAt: instant("expires_at").notNull(),
  usedBy: text("used_by"),
});
