// The tables of users, their sessions and workspaces, as types (-> ../schema.ts).
import { customType, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { Actor } from "../../../domain/actor.ts";
import type { AuditAct, AuditDetails } from "../../../domain/audit.ts";
import type { Brand } from "../../../domain/brand.ts";
import type { Rechecks } from "../../../domain/delivery/recheck.ts";
import type { ApprovalSetting } from "../../../domain/posts/approval.ts";
import type { LinkTags } from "../../../domain/posts/link-tags.ts";
import type { MediaFit } from "../../../domain/posts/sent-file.ts";
import { type Role, readRole, type Scope } from "../../../domain/roles.ts";
import { instant, required } from "../columns.ts";

export const users = sqliteTable("users", {
  id: text("id").primaryKey(),
  email: required("email"),
  name: text("name"),
  passwordHash: text("password_hash"),
  emailVerifiedAt: instant("email_verified_at"),
  createdAt: instant("created_at").notNull(),
  /** Device proofs with another generation have ended. */
  deviceGeneration: integer("device_generation").notNull().default(0),
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
  id: text("id"),
  userAgent: text("user_agent"),
  /** When a second factor was shown for the session's next protected call; null: not since the last one. */
  factorShownAt: instant("factor_shown_at"),
});

export const addressLinks = sqliteTable("address_links", {
  tokenHash: text("token_hash").primaryKey(),
  userId: required("user_id"),
  email: required("email"),
  createdAt: instant("created_at").notNull(),
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
  nextAt: instant("next_at").notNull().default(0),
  home: integer("home").notNull().default(0),
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
  drafts: integer("drafts").notNull().default(0),
  draftBytes: integer("draft_bytes").notNull().default(0),
  /** The number of the database that has its rows; 0 in that database. */
  home: integer("home").notNull().default(0),
  /** Everything that was made in it before this time must end. */
  emptiedAt: instant("emptied_at"),
  /** Whose posts wait for approval. */
  approval: required("approval").$type<ApprovalSetting>().default("none"),
  /** The next event of its feed gets a position above this. */
  feedFrom: instant("feed_from").notNull().default(0),
  /** Whether members need a second factor. */
  requireFactor: integer("require_factor", { mode: "boolean" }).notNull().default(false),
  /** Whether a person may not approve a post that they changed last. */
  fourEyes: integer("four_eyes", { mode: "boolean" }).notNull().default(false),
  /** The default for posts from the dashboard and the command line. */
  mediaFit: required("media_fit").$type<MediaFit>().default("exact"),
  /** How often its live posts are rechecked; null: by each network's own rule. */
  rechecks: text("rechecks").$type<Rechecks>(),
  /** The monthly budget, in millionths of a US dollar; null: no limit. */
  budget: integer("budget"),
  /** Parameters that new posts add to their links; null: none. */
  linkTags: text("link_tags", { mode: "json" }).$type<LinkTags>(),
  /** The brand of its pages for clients, unless a page has its own; null: none. */
  brand: text("brand", { mode: "json" }).$type<Brand>(),
  /** What its owner's platform calls it, unique among the workspaces of `externalOwner`. Only in the accounts database. */
  externalId: text("external_id"),
  externalOwner: text("external_owner"),
  metadata: text("metadata", { mode: "json" }).$type<Record<string, string>>(),
  /** How often rights in it have ended while its rows were in another database than the accounts. */
  rightsEpoch: integer("rights_epoch").notNull().default(0),
  /** Counts the changes that the database with its rows has to receive. In that database: the version it has received. */
  carryVersion: integer("carry_version").notNull().default(0),
});

export const carries = sqliteTable("carries", {
  workspaceId: text("workspace_id").primaryKey(),
  version: integer("version").notNull(),
});

export const endedRights = sqliteTable(
  "ended_rights",
  { holder: required("holder"), endedAt: instant("ended_at").notNull() },
  (table) => [primaryKey({ columns: [table.holder, table.endedAt] })],
);

const role = customType<{ data: Role; driverData: string }>({ dataType: () => "text", fromDriver: readRole });

export const members = sqliteTable(
  "members",
  {
    workspaceId: required("workspace_id"),
    userId: required("user_id"),
    role: role("role").notNull(),
    createdAt: instant("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.userId] })],
);

export const invitations = sqliteTable("invitations", {
  id: text("id").primaryKey(),
  workspaceId: required("workspace_id"),
  email: required("email"),
  role: role("role").notNull(),
  invitedBy: required("invited_by"),
  /** The hash of the mailed link's token; null: no mail has gone out yet. */
  tokenHash: text("token_hash"),
  /** Whether the inviter was shown the link, so that having it verifies no address. */
  byLink: integer("by_link", { mode: "boolean" }).notNull().default(false),
  createdAt: instant("created_at").notNull(),
  expiresAt: instant("expires_at").notNull(),
});

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

export const namedKeys = sqliteTable(
  "named_keys",
  {
    workspaceId: required("workspace_id"),
    id: required("id"),
    hash: required("hash"),
    start: required("start"),
    name: required("name"),
    scopes: text("scopes", { mode: "json" }).notNull().$type<Scope[]>(),
    channels: text("channels", { mode: "json" }).$type<string[]>(),
    createdBy: required("created_by"),
    createdAt: instant("created_at").notNull(),
    lastUsedAt: instant("last_used_at"),
    expiresAt: instant("expires_at"),
    revokedAt: instant("revoked_at"),
    /** Like the workspace's budget, for the posts that this key schedules. */
    budget: integer("budget"),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

const auditKey = { workspaceId: required("workspace_id"), at: instant("at").notNull(), id: required("id") };
const act = required("act").$type<AuditAct>();
const auditFacts = {
  actorKind: required("actor_kind").$type<Actor["kind"]>(),
  actorId: text("actor_id"),
  actorName: required("actor_name"),
  targetId: text("target_id"),
  targetName: text("target_name"),
  address: text("address"),
  client: text("client"),
  details: text("details", { mode: "json" }).notNull().$type<AuditDetails>(),
};

/**
 * Acts whose rows are in the accounts database. `userId` was shown the key `keyId`; both are null in all other entries.
 */
export const audit = sqliteTable(
  "audit",
  { ...auditKey, userId: text("user_id"), act, keyId: text("key_id"), ...auditFacts },
  (table) => [primaryKey({ columns: [table.workspaceId, table.at, table.id] })],
);

/** Acts whose rows move with their workspace. */
export const workspaceAudit = sqliteTable("workspace_audit", { ...auditKey, act, ...auditFacts }, (table) => [
  primaryKey({ columns: [table.workspaceId, table.at, table.id] }),
]);
